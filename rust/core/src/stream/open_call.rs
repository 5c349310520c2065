//! The open call: its record, the reader of the part it stands in, and how it ends.

use crate::call::bodies::BodyReader;
use crate::call::header::{HeaderReader, HeaderStep};
use crate::call::heading::Heading;
use crate::call::reader::{AtEnd, Context, Inside, Step};
use crate::call::record::{Call, Fit};
use crate::grammar::compiled::CompiledForm;
use crate::grammar::data::Name;
use crate::markers::action::{Action, Outer};
use crate::markers::matcher::{Found, Marker, Resume};
use crate::markers::tag::TagPattern;
use crate::settings::Limits;
use crate::sink::{Reason, Sink};
use crate::stream::feed::Feed;
use crate::text::slice::{floor_boundary, slice};

/// The part of a call that is being read.
#[derive(Debug)]
enum Part {
    Header(HeaderReader),
    Body(BodyReader),
}

/// What a step made of the call.
pub(crate) enum Outcome {
    /// It goes on.
    Unfinished,
    /// It ended and was reported.
    Reported,
    /// It was no call but a message that this heading describes.
    Message(Heading),
}

/// The call that a scanner stands in.
#[derive(Debug)]
pub(crate) struct OpenCall {
    limits: Limits,
    /// Whether a call that is cut behind a complete argument counts.
    recover: bool,
    call: Call,
    part: Part,
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
        Self {
            limits,
            recover,
            call: Call::default(),
            part: Part::Header(HeaderReader::default()),
            count: 0,
            unclosed: false,
            reread: 0,
        }
    }

    /// The index of the call's form.
    pub fn form(&self) -> usize {
        self.call.form
    }

    // --- how it begins --------------------------------------------------------------------------

    /// Opens the call of this form, at `start` in the stream, whose opener is this marker; answers
    /// whether the opener is all of it.
    pub fn open<S: Sink>(
        &mut self,
        feed: &mut Feed<'_, S>,
        (index, start): (usize, usize),
        marker: &Marker<Action>,
        pattern: Option<&TagPattern>,
    ) -> bool {
        let Some(form) = feed.grammar.forms.get(index) else {
            return true;
        };
        let opener = slice(feed.input, marker.start, marker.end);
        self.begin(feed, (index, start), opener, matches!(form.name, Name::Header(_)));
        match &form.name {
            Name::Header(_) => {
                self.part = Part::Header(HeaderReader::default());
                return false;
            }
            Name::Body => self.part = Part::Body(form.body.reader(&self.call)),
            Name::Opener(carrier) => {
                let name = carrier.of(feed.input, marker, pattern);
                let name = name.filter(|name| !name.is_empty()).map(str::to_owned);
                let (marker_input, place) = (feed.input, (None, &mut None));
                let mut context = Self::context(form, &self.limits, &mut self.call, feed, place);
                if let Some(name) = name {
                    context.start(name);
                }
                let mut body = form.body.reader(context.call);
                body.opener(&mut context, marker_input, marker, pattern);
                self.part = Part::Body(body);
            }
        }
        let is_whole = marker.tag.as_ref().is_some_and(|tag| tag.empty);
        if is_whole {
            self.finish(form, feed.sink);
        }
        is_whole
    }

    /// Opens a call in code, whose opener is its name up to and with the `(`.
    pub fn open_code(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        (index, start): (usize, usize),
        opener: &str,
        (name, id): (String, Option<String>),
    ) {
        self.begin(feed, (index, start), opener, false);
        self.call.id = id;
        self.call.name = Some(name);
        if let Some(form) = feed.grammar.forms.get(index) {
            self.part = Part::Body(form.body.reader(&self.call));
        }
        if !self.call.muted {
            feed.sink.tool_start(&self.call);
            feed.sink.argument_start(None);
        }
    }

    /// Opens a call of this form that has no opener.
    pub fn open_bare(&mut self, feed: &mut Feed<'_, impl Sink>, (index, start): (usize, usize)) {
        self.begin(feed, (index, start), "", false);
        if let Some(form) = feed.grammar.forms.get(index) {
            self.part = match form.name {
                Name::Header(_) => Part::Header(HeaderReader::default()),
                _ => Part::Body(form.body.reader(&self.call)),
            };
        }
    }

    /// The call is not written in its form: this is what stands there in place of its opener.
    pub fn heal(&mut self, opener: &str) {
        self.call.fits(Fit::Healed);
        if !self.call.muted {
            opener.clone_into(&mut self.call.raw);
            self.call.body = (opener.len(), opener.len());
        }
    }

    /// What has been read of the call.
    pub fn raw(&self) -> &str {
        &self.call.raw
    }

    /// The opener was text: answers it with what was read since.
    pub fn abandon(&mut self) -> String {
        self.count -= 1;
        self.hand_over().raw
    }

    /// Whether the call is over a limit.
    pub fn is_muted(&self) -> bool {
        self.call.muted
    }

    /// With a `header`, only that will tell whether this is a call, which counts.
    fn begin(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        (form, start): (usize, usize),
        opener: &str,
        header: bool,
    ) {
        let body = (opener.len(), opener.len());
        self.call = Call { form, start, raw: opener.to_owned(), body, ..Call::default() };
        self.count += 1;
        let too_many = self.count > self.limits.max_calls && !header;
        if too_many || opener.len() > self.limits.max_call_bytes {
            feed.sink.tool_abort(self.hand_over(), Reason::Limit);
            self.call.muted = true;
        }
    }

    /// Reports a call that has nothing readable in it.
    pub fn report(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        start: usize,
        raw: &str,
        reason: Reason,
    ) {
        self.part = Part::Header(HeaderReader::default());
        self.begin(feed, (0, start), raw, false);
        self.abort(reason, feed.sink);
    }

    /// The call, to be reported. What is still read of it is read in its form.
    fn hand_over(&mut self) -> Call {
        let rest = Call { form: self.call.form, ..Call::default() };
        std::mem::replace(&mut self.call, rest)
    }

    // --- reading on -----------------------------------------------------------------------------

    /// What the readers of the call's parts see.
    fn context<'a, S>(
        form: &'a CompiledForm,
        limits: &'a Limits,
        call: &'a mut Call,
        feed: &'a mut Feed<'_, S>,
        (outer, resume): (Outer, &'a mut Option<Resume>),
    ) -> Context<'a, S> {
        Context {
            call,
            sink: feed.sink,
            oracle: feed.oracle,
            inside: form.inside.at(outer),
            closes: form.closes,
            outer,
            limits,
            resume,
            last: feed.last,
            unclosed: false,
        }
    }

    /// Reads on.
    pub fn step<S: Sink>(
        &mut self,
        feed: &mut Feed<'_, S>,
        outer: Outer,
        at: usize,
        resume: &mut Option<Resume>,
    ) -> (Step, Outcome) {
        let Some(form) = feed.grammar.forms.get(self.call.form) else {
            return (Step::Go(feed.input.len()), Outcome::Reported);
        };
        let (window, over) = self.window(feed.input, at);
        let was_header = matches!(self.part, Part::Header(_));
        let (step, mut outcome) = if window.len() > at {
            self.read(form, feed, (window, at, over), (outer, resume))
        } else {
            (Step::Wait(at), Outcome::Unfinished)
        };
        let ends = matches!(step, Step::Close(..) | Step::Leave(..) | Step::Next(_));
        self.keep(window, at, step, was_header);
        if let Step::Leave(_, next) = step
            && form.closes
        {
            self.ends_before(next);
        }
        let next = (self.call.form, self.call.start + self.call.raw.len());
        if matches!(outcome, Outcome::Unfinished) {
            let is_known = was_header && (ends || matches!(self.part, Part::Body(_)));
            if is_known && self.is_too_many() {
                self.mute(feed.sink);
            }
            if ends {
                self.end(form, feed.sink);
                outcome = Outcome::Reported;
            }
        }
        if let Step::Next(_) = step {
            self.next(feed, next);
            outcome = Outcome::Unfinished;
        }
        match step {
            Step::OverLimit(to) => {
                self.mute(feed.sink);
                (Step::Go(to), outcome)
            }
            Step::Wait(to) if over => {
                self.mute(feed.sink);
                (Step::Go(to), outcome)
            }
            step => (step, outcome),
        }
    }

    /// The input up to where the call goes over its limit, and whether it does. It is read exactly
    /// as far, however the input is cut.
    fn window<'a>(&self, input: &'a str, at: usize) -> (&'a str, bool) {
        let room = self.limits.max_call_bytes.saturating_sub(self.call.raw.len());
        if self.call.muted || input.len() - at <= room {
            return (input, false);
        }
        (slice(input, 0, floor_boundary(input, at + room)), true)
    }

    fn read<S: Sink>(
        &mut self,
        form: &CompiledForm,
        feed: &mut Feed<'_, S>,
        (window, at, over): (&str, usize, bool),
        place: (Outer, &mut Option<Resume>),
    ) -> (Step, Outcome) {
        let is_too_many = self.is_too_many();
        let index = self.call.form;
        let header_matcher = form.header.at(place.0);
        let mut cx = Self::context(form, &self.limits, &mut self.call, feed, place);
        cx.last = cx.last && !over;
        cx.unclosed = self.unclosed;
        let header = match (&mut self.part, &form.name) {
            (Part::Body(body), _) => {
                return (body.step(&form.body, &mut cx, window, at), Outcome::Unfinished);
            }
            (Part::Header(reader), Name::Header(header)) => {
                reader.step((header, index), header_matcher, &mut cx, window, at)
            }
            (Part::Header(_), _) => HeaderStep::Ended(at, Heading::Unreadable),
        };
        let (step, heading) = match header {
            HeaderStep::On(step) => return (step, Outcome::Unfinished),
            HeaderStep::Ended(behind, heading) => (Step::Go(behind), heading),
            HeaderStep::Over(step, heading) => (step, heading),
        };
        match heading {
            Heading::Call { name, id } => {
                cx.call.id = id;
                if is_too_many {
                    cx.call.name = Some(name);
                } else {
                    cx.start(name);
                }
            }
            Heading::Unreadable => {}
            message => {
                self.count -= 1;
                let goes_on = matches!(step, Step::Go(_));
                let over = Outcome::Reported;
                return (step, if goes_on { Outcome::Message(message) } else { over });
            }
        }
        self.part = Part::Body(form.body.reader(cx.call));
        (step, Outcome::Unfinished)
    }

    /// Adds what a step has read to the record.
    fn keep(&mut self, window: &str, at: usize, step: Step, was_header: bool) {
        let end = if let Step::Close(start, _) = step { start } else { step.end() };
        self.call.keep(slice(window, at, end));
        if was_header {
            // The body begins where the header ends.
            let here = self.call.raw.len();
            self.call.body = (here, here);
        }
        match step {
            Step::Go(_) | Step::Wait(_) | Step::OverLimit(_) => {}
            Step::Leave(..) => self.end_body(),
            Step::Next(_) => {
                self.call.fits(Fit::Healed);
                self.end_body();
            }
            Step::Close(start, end) => {
                self.end_body();
                self.call.keep(slice(window, start, end));
            }
        }
    }

    /// Another call of the same form begins where the last one ended.
    fn next(&mut self, feed: &mut Feed<'_, impl Sink>, (form, start): (usize, usize)) {
        self.open_bare(feed, (form, start));
        self.call.fits(Fit::Healed);
    }

    fn is_too_many(&self) -> bool {
        self.count > self.limits.max_calls
    }

    // --- how it ends ----------------------------------------------------------------------------

    fn inside(&self) -> Inside {
        match &self.part {
            Part::Header(_) => Inside::Nothing,
            Part::Body(body) => body.inside(),
        }
    }

    /// The call's body ends here, or ended where its own structure did.
    fn end_body(&mut self) {
        let end = match &self.part {
            Part::Header(_) => None,
            Part::Body(body) => body.end(),
        };
        self.call.body.1 = end.unwrap_or(self.call.raw.len());
    }

    /// What it stands in was closed behind this rest: so is the call.
    pub fn close(&mut self, feed: &mut Feed<'_, impl Sink>, rest: &str, closer: &str) {
        self.call.keep(rest);
        self.end_body();
        self.call.keep(closer);
        if let Some(form) = feed.grammar.forms.get(self.call.form) {
            self.end(form, feed.sink);
        }
    }

    /// The call is over: by its closer, or by what cannot be a part of it.
    fn end(&mut self, form: &CompiledForm, sink: &mut impl Sink) {
        match self.inside() {
            Inside::Value { .. } | Inside::Key => self.abort(Reason::Malformed, sink),
            Inside::Nothing if self.call.fit == Fit::Lost => self.abort(Reason::Malformed, sink),
            Inside::Nothing => self.finish(form, sink),
        }
    }

    /// What begins next shows that the call's closer is missing, which is no matter where the body
    /// ended by its own structure. Where the next is another call and this one has nothing but a
    /// name, its opener stands twice, or its arguments are lost.
    fn ends_before(&mut self, next: Action) {
        let another = matches!(next, Action::OpenCall(_));
        let empty = self.call.arguments.is_empty() && self.call.body().trim().is_empty();
        self.call.fits(match &self.part {
            Part::Body(body) if body.end().is_some() => Fit::Exact,
            _ if another && empty => Fit::Lost,
            _ => Fit::Healed,
        });
    }

    fn finish(&mut self, form: &CompiledForm, sink: &mut impl Sink) {
        if self.call.muted {
            return;
        }
        let may_name = form.body.names_tool() || self.call.body().trim_start().starts_with('{');
        if self.call.name.is_none() && !may_name {
            sink.tool_abort(self.hand_over(), Reason::Malformed);
        } else {
            sink.tool_end(self.hand_over());
        }
    }

    fn abort(&mut self, reason: Reason, sink: &mut impl Sink) {
        if self.call.muted {
            return;
        }
        if self.inside() == (Inside::Value { noted: true }) {
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

    // --- the end of the input -------------------------------------------------------------------

    /// The input ended inside the call, which is reported. What turns out to stand behind it is
    /// answered, to be read as if the call had been closed there.
    pub fn end_of_input(&mut self, feed: &mut Feed<'_, impl Sink>, outer: Outer) -> Option<String> {
        let form = feed.grammar.forms.get(self.call.form)?;
        if self.call.muted {
            return None;
        }
        let at_end = match &self.part {
            Part::Body(body) => body.at_end(),
            Part::Header(header) => {
                let header = header.unfinished(&self.call.raw);
                let heading = form.heading(self.call.form, header, feed.oracle);
                self.end_header(heading, form, outer, feed.sink);
                return None;
            }
        };
        match at_end {
            AtEnd::Complete(end) => Some(self.end_complete(end, form, outer, feed.sink)),
            AtEnd::Unclosed(since) => self.end_unclosed(since, form, outer, feed.sink),
            AtEnd::Cut => {
                self.end_cut(form, outer, feed.sink);
                None
            }
        }
    }

    /// The input ended inside a header. Only a call is worth reporting.
    fn end_header(
        &mut self,
        heading: Heading,
        form: &CompiledForm,
        outer: Outer,
        sink: &mut impl Sink,
    ) {
        match heading {
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
        let is_layout = form.is_closing(outer, tail);
        let tail = if is_layout { String::new() } else { self.call.raw.split_off(end) };
        self.call.body.1 = end;
        self.finish(form, sink);
        tail
    }

    fn end_cut(&mut self, form: &CompiledForm, outer: Outer, sink: &mut impl Sink) {
        self.call.body.1 = self.call.raw.len();
        if self.recover && self.lacks_closers(form, outer) {
            self.call.recovered = true;
            self.finish(form, sink);
        } else {
            self.abort(Reason::Truncated, sink);
        }
    }

    /// Whether nothing is missing but closers.
    fn lacks_closers(&self, form: &CompiledForm, outer: Outer) -> bool {
        let Part::Body(body) = &self.part else {
            return false;
        };
        let behind = self.call.arguments.last().map_or(0, |argument| argument.value.1);
        let tail = slice(&self.call.raw, behind, self.call.raw.len());
        let rest_closes = |rest: &str| form.is_closing(outer, rest);
        self.call.name.is_some() && body.lacks_closers(&form.body, tail, &rest_closes)
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
        let in_value = matches!(self.inside(), Inside::Value { .. });
        let found = form.closers.at(outer).find(&self.call.raw, since, true, &mut None);
        self.reread += usize::from(!in_value);
        let (Found::Marker(closer), ..=MOST_REREAD) = (found, self.reread) else {
            self.end_cut(form, outer, sink);
            return None;
        };
        // A section's closer is the section's own.
        let own = closer.action == Action::CloseCall;
        let tail = self.call.raw.split_off(if own { closer.end } else { closer.start });
        self.call.body.1 = closer.start;
        self.unclosed = self.unclosed || in_value;
        if in_value {
            self.abort(Reason::Truncated, sink);
        } else if form.body.reads_cut_strings() {
            self.finish(form, sink);
        } else {
            self.abort(Reason::Malformed, sink);
        }
        Some(tail)
    }
}
