//! A scanner: a grammar, settings, and one stream being read with them.

use std::sync::Arc;

use crate::grammar::compiled::Compiled;
use crate::oracle::Oracle;
use crate::settings::Settings;
use crate::sink::Sink;
use crate::stream::scan::Stream;
use crate::stream::state::Begun;

/// One stream being scanned.
#[derive(Debug)]
pub struct Scanner {
    grammar: Arc<Compiled>,
    settings: Settings,
    stream: Stream,
}

impl Scanner {
    /// A scanner at the beginning of a stream.
    #[must_use]
    pub fn new(grammar: Arc<Compiled>, settings: Settings) -> Self {
        let stream = Stream::new(&grammar, &settings);
        Self { grammar, settings, stream }
    }

    /// A scanner like this one, at the beginning of its own stream.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self::new(self.grammar.clone(), self.settings.clone())
    }

    /// Forgets the stream: the scanner is as new.
    pub fn reset(&mut self) {
        self.stream = Stream::new(&self.grammar, &self.settings);
    }

    /// The grammar that it reads with.
    #[must_use]
    pub fn grammar(&self) -> &Compiled {
        &self.grammar
    }

    /// Reads what of the reply stands in the prompt already: the stream goes on behind it.
    ///
    /// The sink is told all of it. An open block of thinking begins anew without it, and an open call
    /// keeps it.
    pub fn begin_behind(
        &mut self,
        prompt: &str,
        sink: &mut impl Sink,
        oracle: &dyn Oracle,
    ) -> Begun {
        self.reset();
        self.stream.begin_behind(&self.grammar, prompt, sink, oracle)
    }

    /// Reads the next chunk.
    pub fn feed(&mut self, chunk: &str, sink: &mut impl Sink, oracle: &dyn Oracle) {
        self.stream.feed(&self.grammar, chunk, sink, oracle);
    }

    /// The stream ends: what is held back is decided, what is open is closed.
    pub fn flush(&mut self, sink: &mut impl Sink, oracle: &dyn Oracle) {
        self.stream.flush(&self.grammar, sink, oracle);
    }
}
