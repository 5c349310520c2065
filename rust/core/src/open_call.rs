//! The open call: its raw text, the reader of the part it stands in, and how it ends.

use crate::body::{AtEnd, Body, Context, Ended, Step, floor_boundary, slice};
use crate::call::{Call, Carrier};
use crate::compiled::{Action, Compiled, CompiledForm, Outer};
use crate::elements::Elements;
use crate::grammar::Name;
use crate::header::Header;
use crate::json_body::JsonBody;
use crate::matcher::{Found, Marker, Resume};
use crate::python::Code;
use crate::scanner::Limits;
use crate::sink::{Heading, Reason, Sink};
use crate::tag::TagPattern;
use crate::values::{self, Values};

/// The call that a scanner stands in.
#[derive(Debug)]
pub(crate) struct OpenCall {
    limits: Limits,
    /// Whether a call that is cut behind a complete argument counts.
    recover: bool,
    call: Call,
    body: Body,
    /// How many calls this stream has had.
    count: usize,
    /// A value was found that is never closed: no later one can be closed either.
    unclosed: bool,
    /// How many strings were found that are never closed.
    reread: usize,
}

/// How many strings that are never closed are looked into for a closer: what stands behind it is
/// read again, each time to the end.
const MOST_REREAD: usize = 16;

impl OpenCall {
    pub fn new(limits: Limits, recover: bool) -> Self {
        let body = Body::Values(Values::Between);
        Self { limits, recover, call: Call::default(), body, count: 0, unclosed: false, reread: 0 }
    }

    /// The index of the call's form.
    pub fn form(&self) -> usize {
        self.call.form
    }

    /// With a `header`, only that will tell whether this is a call, which counts.
    fn begin(
        &mut self,
        form: usize,
        start: usize,
        opener: &str,
        header: bool,
        sink: &mut impl Sink,
    ) {
        let body = (opener.len(), opener.len());
        self.call = Call { form, start, raw: opener.to_owned(), body, ..Call::default() };
        self.count += 1;
        if (self.count > self.limits.max_calls && !header)
            || opener.len() > self.limits.max_call_bytes
        {
            sink.tool_abort(self.hand_over(), Reason::Limit);
            self.call.muted = true;
        }
    }

    /// The call, to be reported. What is still read of it is read in its form.
    fn hand_over(&mut self) -> Call {
        let rest = Call { form: self.call.form, ..Call::default() };
        std::mem::replace(&mut self.call, rest)
    }

    /// Opens the call whose opener is this marker, at `start` in the stream; answers whether the
    /// opener is all of it.
    #[allow(clippy::too_many_arguments)] // the state of the scanner around the call
    pub fn open<S: Sink>(
        &mut self,
        grammar: &Compiled,
        form: usize,
        start: usize,
        input: &str,
        marker: &Marker<Action>,
        pattern: Option<&TagPattern>,
        sink: &mut S,
    ) -> bool {
        let header = grammar.forms.get(form).is_some_and(|f| matches!(f.name, Name::Header(_)));
        self.begin(form, start, slice(input, marker.start, marker.end), header, sink);
        let Some(compiled) = grammar.forms.get(form) else {
            return true;
        };
        match &compiled.name {
            Name::Header(_) => {
                self.body = Body::Header(Header::new());
                return false;
            }
            Name::Body => self.body = Body::of(compiled, &self.call),
            Name::Opener(carrier) => {
                let name = values::name_in(carrier, input, marker, pattern);
                let name = name.filter(|name| !name.is_empty()).map(str::to_owned);
                let resume = &mut None;
                let mut context = Context {
                    inside: compiled.inside(None),
                    elements: &grammar.elements,
                    limits: &self.limits,
                    call: &mut self.call,
                    form: compiled,
                    form_index: form,
                    outer: None,
                    last: false,
                    unclosed: false,
                    too_many: false,
                    resume,
                    sink,
                };
                if let Some(name) = name {
                    context.start(name);
                }
                self.body = Body::of(compiled, context.call);
                if let (Body::Elements(_), Some(pattern)) = (&self.body, pattern) {
                    Elements::attributes(&mut context, input, marker, pattern);
                }
            }
        }
        self.call.carrier = self.body.carrier(self.call.carrier);
        let whole = marker.tag.as_ref().is_some_and(|tag| tag.empty);
        if whole {
            self.finish(sink);
        }
        whole
    }

    /// Opens a call in code, at `start` in the stream: `opener` is its name up to and with the `(`.
    pub fn open_code(
        &mut self,
        form: usize,
        start: usize,
        opener: &str,
        name: String,
        id: Option<String>,
        sink: &mut impl Sink,
    ) {
        self.begin(form, start, opener, false, sink);
        self.call.id = id;
        self.call.name = Some(name);
        self.body = Body::Code(Code::new(opener.len()));
        self.call.carrier = Carrier::Text(opener.len(), opener.len());
        if !self.call.muted {
            sink.tool_start(&self.call);
            sink.argument_start(None);
        }
    }

    /// Reads on. Over the limit, the body is read exactly as far as the limit, however the input
    /// is cut.
    #[allow(clippy::too_many_arguments)] // the state of the scanner around the call
    pub fn step<S: Sink>(
        &mut self,
        grammar: &Compiled,
        outer: Outer,
        input: &str,
        at: usize,
        last: bool,
        resume: &mut Option<Resume>,
        sink: &mut S,
    ) -> (Step, Ended) {
        let Some(form) = grammar.forms.get(self.call.form) else {
            return (Step::Go(input.len()), Ended::Call);
        };
        let room = self.limits.max_call_bytes.saturating_sub(self.call.raw.len());
        let over = !self.call.muted && input.len() - at > room;
        let window = if over { slice(input, 0, floor_boundary(input, at + room)) } else { input };
        let in_header = matches!(self.body, Body::Header(_));
        let (step, mut ended) = if window.len() > at {
            let mut context = Context {
                inside: form.inside(outer),
                elements: &grammar.elements,
                limits: &self.limits,
                form_index: self.call.form,
                call: &mut self.call,
                last: last && !over,
                unclosed: self.unclosed,
                too_many: self.count > self.limits.max_calls,
                outer,
                form,
                resume,
                sink,
            };
            self.body.step(&mut context, window, at)
        } else {
            (Step::Wait(at), Ended::Open)
        };
        match step {
            Step::Go(to) | Step::Wait(to) | Step::OverLimit(to) => {
                self.call.keep(slice(window, at, to));
                if in_header {
                    // The body begins where the header ends.
                    let here = self.call.raw.len();
                    self.call.body = (here, here);
                    if let Carrier::Text(..) = self.call.carrier {
                        self.call.carrier = Carrier::Text(here, here);
                    }
                }
            }
            Step::Close(start, end) => {
                self.call.keep(slice(window, at, start));
                self.end_body();
                self.call.keep(slice(window, start, end));
            }
            Step::Leave(start) => {
                self.call.keep(slice(window, at, start));
                self.end_body();
            }
        }
        let left_header = !matches!(self.body, Body::Header(_))
            || matches!(step, Step::Close(..) | Step::Leave(_));
        let is_call = in_header && left_header && matches!(ended, Ended::Open);
        if is_call && self.count > self.limits.max_calls {
            self.mute(sink);
        }
        if let (Step::Close(..) | Step::Leave(_), Ended::Open) = (step, &ended) {
            if self.body.in_value() {
                self.abort(Reason::Truncated, sink);
            } else if self.body.lacks_value() {
                self.abort(Reason::Malformed, sink);
            } else {
                self.finish(sink);
            }
            ended = Ended::Call;
        }
        if let Ended::Message(_) = ended {
            self.count -= 1;
        }
        match step {
            Step::OverLimit(to) => {
                self.mute(sink);
                (Step::Go(to), ended)
            }
            Step::Wait(to) if over => {
                self.mute(sink);
                (Step::Go(to), ended)
            }
            step => (step, ended),
        }
    }

    /// The call's body ends here, or ended where its own structure did.
    fn end_body(&mut self) {
        self.call.body.1 = self.body.end().unwrap_or(self.call.raw.len());
        if let (Body::Json(JsonBody::Inside { .. } | JsonBody::Broken), Carrier::Text(start, _)) =
            (&self.body, self.call.carrier)
        {
            self.call.carrier = Carrier::Text(start, self.call.raw.len());
        }
    }

    fn finish(&mut self, sink: &mut impl Sink) {
        if self.call.muted {
            return;
        }
        if self.call.name.is_none() && self.call.carrier != Carrier::Body {
            sink.tool_abort(self.hand_over(), Reason::Malformed);
        } else {
            sink.tool_end(self.hand_over());
        }
    }

    fn abort(&mut self, reason: Reason, sink: &mut impl Sink) {
        if self.call.muted {
            return;
        }
        if self.body.in_argument() {
            self.call.arguments.pop();
        }
        sink.tool_abort(self.hand_over(), reason);
    }

    /// Reports the call as over a limit: its rest is read but not kept.
    fn mute(&mut self, sink: &mut impl Sink) {
        self.end_body();
        self.abort(Reason::Limit, sink);
        self.call.muted = true;
    }

    /// The input ended inside the call, which is reported. What turns out to stand behind it is
    /// answered, to be read as if the call had been closed there.
    pub fn end_of_input(
        &mut self,
        grammar: &Compiled,
        outer: Outer,
        sink: &mut impl Sink,
    ) -> Option<String> {
        let form = grammar.forms.get(self.call.form)?;
        if self.call.muted {
            return None;
        }
        if let Body::Header(header) = self.body {
            self.end_header(header, form, outer, sink);
            return None;
        }
        match self.body.at_end() {
            AtEnd::Complete(end) => Some(self.end_complete(end, form, outer, sink)),
            AtEnd::Unclosed(since) => self.end_unclosed(since, form, outer, sink),
            AtEnd::Cut => {
                self.end_cut(form, outer, sink);
                None
            }
        }
    }

    /// The input ended inside a header. Only a call is worth reporting.
    fn end_header(
        &mut self,
        header: Header,
        form: &CompiledForm,
        outer: Outer,
        sink: &mut impl Sink,
    ) {
        let text = header.unfinished(&self.call.raw).to_owned();
        match sink.heading(self.call.form, &text) {
            Heading::Call { name, id } => {
                self.call.name = Some(name);
                self.call.id = id;
            }
            Heading::Unreadable => {}
            Heading::Text | Heading::Thinking | Heading::Skip => return,
        }
        self.end_cut(form, outer, sink);
    }

    /// The call was complete at `end` and only its closer is missing.
    fn end_complete(
        &mut self,
        end: usize,
        form: &CompiledForm,
        outer: Outer,
        sink: &mut impl Sink,
    ) -> String {
        let tail = self.call.raw.get(end..).unwrap_or_default();
        let layout = tail.trim().is_empty() || form.begins_closer(outer, tail);
        let tail = if layout { String::new() } else { self.call.raw.split_off(end) };
        self.call.body.1 = end;
        self.finish(sink);
        tail
    }

    fn end_cut(&mut self, form: &CompiledForm, outer: Outer, sink: &mut impl Sink) {
        self.call.body.1 = self.call.raw.len();
        if let (Body::Json(_), Carrier::Text(start, _)) = (&self.body, self.call.carrier) {
            self.call.carrier = Carrier::Text(start, self.call.raw.len());
        }
        let behind = self.call.arguments.last().map_or(0, |argument| argument.value.1);
        let tail = slice(&self.call.raw, behind, self.call.raw.len());
        let whole = self.call.name.is_some() && self.body.lacks_closers(form, outer, tail);
        if self.recover && whole {
            self.call.recovered = true;
            self.finish(sink);
        } else {
            self.abort(Reason::Truncated, sink);
        }
    }

    /// What is open since this position was never closed. If the call's closer stands there, it
    /// was no data after all and the call ended there, unfinished.
    fn end_unclosed(
        &mut self,
        since: usize,
        form: &CompiledForm,
        outer: Outer,
        sink: &mut impl Sink,
    ) -> Option<String> {
        let found = form.closers(outer).find(&self.call.raw, since, true, &mut None);
        self.reread += usize::from(!self.body.in_value());
        let (Found::Marker(closer), ..=MOST_REREAD) = (found, self.reread) else {
            self.end_cut(form, outer, sink);
            return None;
        };
        // A section's closer is the section's own.
        let own = closer.action == Action::CloseCall;
        let tail = self.call.raw.split_off(if own { closer.end } else { closer.start });
        self.call.body.1 = closer.start;
        if let Carrier::Text(start, _) = self.call.carrier {
            self.call.carrier = Carrier::Text(start, closer.start);
        }
        self.unclosed = self.unclosed || self.body.in_value();
        match (&self.body, self.body.in_value()) {
            (Body::Quoted(_), _) => self.finish(sink), // its literals can be told apart without quotes
            (_, true) => self.abort(Reason::Truncated, sink),
            (_, false) => self.abort(Reason::Malformed, sink),
        }
        Some(tail)
    }
}
