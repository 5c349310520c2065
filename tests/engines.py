"""Three constrained-decoding engines behind one interface, to try what toolspeak writes for them.

Each engine compiles a grammar in its own language for a `Vocabulary` and answers which tokens may
come next: xgrammar (a structural tag), llguidance (Lark) and llama.cpp (GBNF). `sample` writes a
random text that the grammar allows; `accepts` asks whether it allows a given one.

No model, no torch and no compiler is needed:

    pip install --no-deps xgrammar==0.2.9 xllamacpp==2026.10.11549
    pip install llguidance==1.9.1 numpy pydantic apache-tvm-ffi

xgrammar declares torch and transformers, but imports them for names alone: stand-ins serve.
llama.cpp is the shared library within xllamacpp's wheel, which exports llama.cpp's C functions; its
grammar engine reads the tokens of a model file, so a file of zeros is written for the vocabulary.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import json
import math
import os
import struct
import sys
import tempfile
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from random import Random

PIECES = (
    *("true", "false", "null", "name", "arguments", "value", "the ", " a", "\n\n", "  ", "://"),
    *('":', '": ', '",', '"}', "}}", '{"', "</", "/>", "<|", "|>", "]]", "é", "→", "日本", "🙂"),
)
"""Pieces of more than one byte, such as tokenizers learn: words, JSON across tokens, not ASCII."""

END = "</s>"
"""What the end token is called; no text holds it."""


class SourceError(ValueError):
    """An engine does not compile a grammar; the message is the engine's own."""


@dataclass(frozen=True)
class Vocabulary:
    """The tokens that a grammar is compiled for.

    First come the 256 bytes, so that a byte's id is its value, then `pieces`, `markers`, and last
    the end token. Markers that are listed in `special` too are special tokens of the tokenizer.
    """

    markers: tuple[str, ...] = ()
    special: frozenset[str] = frozenset()
    pieces: tuple[str, ...] = PIECES

    @cached_property
    def tokens(self) -> tuple[bytes, ...]:
        """What each token spells."""
        pieces = (piece for piece in self.pieces if piece not in self.markers)
        texts = dict.fromkeys((*pieces, *self.markers, END))
        whole = (text.encode() for text in texts if len(text.encode()) > 1)
        return (*(bytes([byte]) for byte in range(256)), *whole)

    @property
    def end(self) -> int:
        """The id of the end token."""
        return len(self.tokens) - 1

    @cached_property
    def ids(self) -> dict[str, int]:
        """The markers' ids."""
        return {marker: self.tokens.index(marker.encode()) for marker in self.markers}

    @cached_property
    def special_ids(self) -> dict[str, int]:
        """The ids of the markers that are special tokens."""
        return {marker: self.ids[marker] for marker in self.special}

    @cached_property
    def closing(self) -> frozenset[int]:
        """Tokens that tend to end something: a string, a number, a list, free text."""
        return frozenset((*b'"}],', *self.ids.values(), self.end))

    def encode(self, text: str) -> list[int]:
        """The text as tokens: special tokens where they are spelled, bytes elsewhere."""
        ids: list[int] = []
        at = 0
        specials = sorted(self.special, key=len, reverse=True)
        while at < len(text):
            marker = next((marker for marker in specials if text.startswith(marker, at)), None)
            ids += text[at].encode() if marker is None else [self.ids[marker]]
            at += 1 if marker is None else len(marker)
        return ids


class Matcher(ABC):
    """A compiled grammar, and how far a text has come in it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    @abstractmethod
    def allowed(self) -> set[int]:
        """The tokens that may come next."""

    @abstractmethod
    def take(self, token: int) -> bool:
        """Go on by one token that is not the end, or stay if the grammar refuses it."""

    @abstractmethod
    def reset(self) -> None:
        """Go back to the beginning."""

    def is_over(self) -> bool:
        """Whether the text may end here."""
        return self.vocabulary.end in self.allowed()


class Engine(ABC):
    """A constrained-decoding engine, imported when it is first used."""

    name: str

    @abstractmethod
    def load(self) -> Any:
        """The engine's library; ImportError where it is missing."""

    @cached_property
    def library(self) -> Any:
        """The engine's library, loaded once."""
        return self.load()

    @cached_property
    def missing(self) -> str | None:
        """Why the engine can't be used here; None if it can."""
        try:
            _ = self.library
        except (ImportError, OSError) as error:
            return f"{self.name}: {error}"
        return None

    @property
    def available(self) -> bool:
        """Whether the engine can be used here; `missing` tells why not."""
        return self.missing is None

    @abstractmethod
    def compile(self, source: Any, vocabulary: Vocabulary) -> Matcher:
        """A matcher of the grammar, at its beginning. Raises SourceError."""


def accepts(engine: Engine, source: Any, vocabulary: Vocabulary, text: str) -> bool:
    """Whether the grammar allows exactly this text, byte by byte and special tokens whole."""
    return follows(engine.compile(source, vocabulary), text)


def follows(matcher: Matcher, text: str) -> bool:
    """`accepts`, of a grammar that is compiled."""
    matcher.reset()
    return all(matcher.take(token) for token in matcher.vocabulary.encode(text)) and (
        matcher.is_over()
    )


def refused_at(matcher: Matcher, text: str) -> str | None:
    """The part of the text that the grammar does not allow; "" if it only ends too soon."""
    matcher.reset()
    taken: list[bytes] = []
    for token in matcher.vocabulary.encode(text):
        if not matcher.take(token):
            break
        taken.append(matcher.vocabulary.tokens[token])
    else:
        return None if matcher.is_over() else ""
    return text.encode()[len(b"".join(taken)) :].decode(errors="replace")


def sample(matcher: Matcher, vocabulary: Vocabulary, rng: Random, limit: int = 400) -> str | None:
    """A random text that the grammar allows.

    Tokens are drawn evenly, but for two things: what ends something is preferred, and ever more so
    the longer the text is; and a byte that is but part of a character is rare, since few engines
    hold to UTF-8. None if the text is not over after `limit` tokens, or is not UTF-8.
    """
    matcher.reset()
    text = b""
    for count in range(limit):
        allowed = matcher.allowed()
        haste = 0.3 + 0.65 * count / limit
        if not allowed or (vocabulary.end in allowed and rng.random() < haste):
            break
        token = _draw(sorted(allowed - {vocabulary.end}), vocabulary, rng, haste)
        if token is None:
            break
        if not matcher.take(token):
            raise AssertionError(f"{vocabulary.tokens[token]!r} is allowed, but not taken")
        text += vocabulary.tokens[token]
    try:
        return text.decode() if matcher.is_over() else None
    except UnicodeDecodeError:
        return None


def _draw(tokens: list[int], vocabulary: Vocabulary, rng: Random, haste: float) -> int | None:
    whole = [token for token in tokens if not 0x7F < token < 0x100]
    if whole and rng.random() > 0.01:
        tokens = whole
    closing = [token for token in tokens if token in vocabulary.closing]
    if closing and rng.random() < haste:
        tokens = closing
    return rng.choice(tokens) if tokens else None


def _in_mask(mask: bytes, vocabulary: Vocabulary) -> set[int]:
    bits = int.from_bytes(mask, "little")
    return {token for token in range(len(vocabulary.tokens)) if bits >> token & 1}


class XGrammar(Engine):
    """xgrammar: structural tags, as a dict or JSON."""

    name = "xgrammar"

    def load(self) -> Any:
        importlib.import_module("tvm_ffi")  # before the stand-ins: it would take them for torch
        with _stand_ins("torch", "transformers"):
            return importlib.import_module("xgrammar")

    @lru_cache  # noqa: B019 - engines live as long as the process
    def compiler(self, vocabulary: Vocabulary) -> Any:
        """What compiles grammars for the vocabulary."""
        tokens = self.library.TokenizerInfo(
            list(vocabulary.tokens), stop_token_ids=[vocabulary.end]
        )
        return self.library.GrammarCompiler(tokens, max_threads=1)

    def compile(self, source: Mapping[str, Any] | str, vocabulary: Vocabulary) -> Matcher:
        text = source if isinstance(source, str) else json.dumps(source)
        try:
            compiled = self.compiler(vocabulary).compile_structural_tag(text)
        except (RuntimeError, ValueError, TypeError) as error:
            raise SourceError(str(error)) from error
        return _XGrammarMatcher(vocabulary, self.library.GrammarMatcher(compiled))


class _XGrammarMatcher(Matcher):
    def __init__(self, vocabulary: Vocabulary, matcher: Any) -> None:
        super().__init__(vocabulary)
        self._matcher = matcher
        width = (len(vocabulary.tokens) + 31) // 32
        self._mask = importlib.import_module("numpy").zeros((1, width), dtype="int32")

    def allowed(self) -> set[int]:
        self._matcher.fill_next_token_bitmask(self._mask)
        return _in_mask(self._mask.tobytes(), self.vocabulary)

    def take(self, token: int) -> bool:
        return bool(self._matcher.accept_token(token))

    def reset(self) -> None:
        self._matcher.reset()


class _StandIn(ModuleType):
    """A module any name of which is a class that takes any arguments."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__init__": lambda *_, **__: None})


@contextmanager
def _stand_ins(*names: str) -> Iterator[None]:
    """Let modules be imported for their names, within the block, if not all are installed.

    One that is installed would look for the others, so it is hidden as well.
    """
    if all(importlib.util.find_spec(name) for name in names):
        yield
        return
    hidden = {name: sys.modules[name] for name in names if name in sys.modules}
    sys.modules.update({name: _StandIn(name) for name in names})
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]
        sys.modules.update(hidden)


class LLGuidance(Engine):
    """llguidance: Lark."""

    name = "llguidance"

    def load(self) -> Any:
        return importlib.import_module("llguidance")

    @lru_cache  # noqa: B019 - engines live as long as the process
    def tokenizer(self, vocabulary: Vocabulary) -> Any:
        """What the library knows of the vocabulary."""
        return self.library.LLTokenizer(self.library.TokenizerWrapper(_LLTokens(vocabulary)))

    def compile(self, source: str, vocabulary: Vocabulary) -> Matcher:
        grammar = self.library.LLMatcher.grammar_from_lark(source)
        matcher = self.library.LLMatcher(self.tokenizer(vocabulary), grammar, log_level=0)
        return _LLMatcher(vocabulary, matcher)


class _LLTokens:
    """A vocabulary as llguidance reads it; called, it says which tokens a text is.

    That is asked where the grammar allows one text only: these tokens alone are allowed then.
    """

    bos_token_id = None

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.eos_token_id = vocabulary.end
        self.tokens = vocabulary.tokens
        self.special_token_ids = [*vocabulary.special_ids.values(), vocabulary.end]
        plain = set(range(len(self.tokens))) - set(self.special_token_ids)
        self._longest_first = sorted(plain, key=lambda token: -len(self.tokens[token]))

    def __call__(self, text: bytes) -> list[int]:
        ids: list[int] = []
        at = 0
        while at < len(text):
            ids.append(
                next(
                    token
                    for token in self._longest_first
                    if text.startswith(self.tokens[token], at)
                )
            )
            at += len(self.tokens[ids[-1]])
        return ids


class _LLMatcher(Matcher):
    def __init__(self, vocabulary: Vocabulary, matcher: Any) -> None:
        super().__init__(vocabulary)
        self._fresh = matcher
        self.reset()

    def allowed(self) -> set[int]:
        mask = self._matcher.compute_bitmask()
        self._check()
        return _in_mask(mask, self.vocabulary)

    def take(self, token: int) -> bool:
        return bool(self._matcher.try_consume_tokens([token]) == 1)

    def reset(self) -> None:
        self._matcher = self._fresh.deep_copy()  # its own reset fails behind token references
        self._check()

    def _check(self) -> None:
        if self._matcher.is_error():
            raise SourceError(self._matcher.get_error())


class LlamaCpp(Engine):
    """llama.cpp's grammar sampler: GBNF."""

    name = "llamacpp"

    def load(self) -> Any:
        spec = importlib.util.find_spec("xllamacpp")
        if spec is None or spec.origin is None:
            raise ImportError("No module named 'xllamacpp'")
        os.environ.setdefault("GGML_NO_BACKTRACE", "1")  # a failed assertion would start a debugger
        library = ctypes.CDLL(str(Path(spec.origin).with_name("xllamacpp.abi3.so")))
        for name, (result, *arguments) in _C_FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        library.llama_log_set(_keep_log_for_c, None)
        return library

    @lru_cache  # noqa: B019 - engines live as long as the process
    def tokens(self, vocabulary: Vocabulary) -> Any:
        """The vocabulary within llama.cpp, which is never freed."""
        with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
            file.write(_gguf(vocabulary))
            file.flush()
            options = self.library.llama_model_default_params()
            model = self.library.llama_model_load_from_file(file.name.encode(), options)
        if not model:
            raise OSError("llama.cpp does not load the vocabulary: " + "".join(_log))
        return self.library.llama_model_get_vocab(model)

    def compile(self, source: str, vocabulary: Vocabulary) -> Matcher:
        tokens = self.tokens(vocabulary)
        _log.clear()
        with _stderr_into(_log):
            sampler = self.library.llama_sampler_init_grammar(tokens, source.encode(), b"root")
        if not sampler:
            raise SourceError("".join(_log))
        return _LlamaMatcher(vocabulary, self.library, tokens, sampler)


class _LlamaMatcher(Matcher):
    def __init__(self, vocabulary: Vocabulary, library: Any, tokens: Any, sampler: Any) -> None:
        super().__init__(vocabulary)
        self._library, self._sampler = library, sampler
        # Markers that llama.cpp takes for ends of a turn by their names are not ends here.
        self._ids = [
            token
            for token in range(len(vocabulary.tokens))
            if token == vocabulary.end or not library.llama_vocab_is_eog(tokens, token)
        ]
        self._all = _candidates(self._ids)

    def __del__(self) -> None:
        self._library.llama_sampler_free(self._sampler)

    def _logits(self, candidates: bytes) -> list[float]:
        data = ctypes.create_string_buffer(candidates, len(candidates))
        count = len(candidates) // _CANDIDATE.size
        array = _Candidates(ctypes.addressof(data), count, -1, False)
        self._library.llama_sampler_apply(self._sampler, ctypes.byref(array))
        return [logit for _token, logit, _p in _CANDIDATE.iter_unpack(data)]

    def allowed(self) -> set[int]:
        logits = self._logits(self._all)
        return {token for token, logit in zip(self._ids, logits, strict=True) if logit == 0}

    def take(self, token: int) -> bool:
        if self._logits(_candidates([token])) != [0]:  # to accept it would end the process
            return False
        self._library.llama_sampler_accept(self._sampler, token)
        return True

    def reset(self) -> None:
        self._library.llama_sampler_reset(self._sampler)


_CANDIDATE = struct.Struct("@iff")  # llama_token_data: the token, its logit, its probability


def _candidates(tokens: Iterable[int]) -> bytes:
    return b"".join(_CANDIDATE.pack(token, 0, 0) for token in tokens)


class _Candidates(ctypes.Structure):
    """llama_token_data_array."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
        ("selected", ctypes.c_int64),
        ("sorted", ctypes.c_bool),
    )


class _ModelOptions(ctypes.Structure):
    """llama.cpp's options of loading, whose fields nobody here reads: it is only wide enough."""

    _fields_ = (("bytes", ctypes.c_ubyte * 1024),)


_LogFunction = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
_log: list[str] = []


def _keep_log(level: int, text: bytes, _data: int) -> None:
    if level in {3, 4}:  # warnings and errors
        _log.append(text.decode(errors="replace"))


_keep_log_for_c = _LogFunction(_keep_log)
_POINTER, _INT, _STRING = ctypes.c_void_p, ctypes.c_int32, ctypes.c_char_p
_C_FUNCTIONS: dict[str, tuple[Any, ...]] = {  # result, then arguments
    "llama_log_set": (None, _LogFunction, _POINTER),
    "llama_model_default_params": (_ModelOptions,),
    "llama_model_load_from_file": (_POINTER, _STRING, _ModelOptions),
    "llama_model_get_vocab": (_POINTER, _POINTER),
    "llama_vocab_is_eog": (ctypes.c_bool, _POINTER, _INT),
    "llama_sampler_init_grammar": (_POINTER, _POINTER, _STRING, _STRING),
    "llama_sampler_apply": (None, _POINTER, ctypes.POINTER(_Candidates)),
    "llama_sampler_accept": (None, _POINTER, _INT),
    "llama_sampler_reset": (None, _POINTER),
    "llama_sampler_free": (None, _POINTER),
}


@contextmanager
def _stderr_into(log: list[str]) -> Iterator[None]:
    """Keep what C writes to standard error within the block."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            log.append(file.read().decode(errors="replace"))


def _gguf(vocabulary: Vocabulary) -> bytes:
    """A model file of one layer of zeros, whose tokens are the vocabulary's.

    The tokenizer is RWKV's: it knows neither merges nor characters, only escaped bytes. Special
    tokens are named as they are spelled, as in every model's file.
    """
    width, special = 32, {*vocabulary.special_ids.values(), vocabulary.end}
    names = [
        token if index in special else "".join(f"\\x{byte:02x}" for byte in token).encode()
        for index, token in enumerate(vocabulary.tokens)
    ]
    types = [3 if index in special else 1 for index in range(len(names))]
    square, row = (width, width), (width,)
    tensors = {
        "token_embd": (width, len(names)),
        "output_norm": row,
        **dict.fromkeys(("blk.0.attn_norm", "blk.0.ffn_norm"), row),
        **{f"blk.0.attn_{part}": square for part in ("q", "k", "v", "output")},
        **{f"blk.0.ffn_{part}": square for part in ("gate", "up", "down")},
    }
    facts = {
        "general.architecture": _text("llama"),
        "llama.context_length": _number(32),
        "llama.embedding_length": _number(width),
        "llama.feed_forward_length": _number(width),
        "llama.block_count": _number(1),
        "llama.attention.head_count": _number(1),
        "llama.attention.layer_norm_rms_epsilon": struct.pack("<If", 6, 1e-5),
        "tokenizer.ggml.model": _text("rwkv"),
        "tokenizer.ggml.tokens": _list(8, map(_string, names)),
        "tokenizer.ggml.token_type": _list(5, (struct.pack("<i", kind) for kind in types)),
        "tokenizer.ggml.eos_token_id": _number(vocabulary.end),
    }
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(facts))
    head += b"".join(_string(key.encode()) + value for key, value in facts.items())
    offset = 0
    for name, shape in tensors.items():
        head += _string(f"{name}.weight".encode()) + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}QIQ", *shape, 0, offset)
        offset += 4 * math.prod(shape)
    return head + bytes(-len(head) % 32 + offset)


def _string(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def _text(value: str) -> bytes:
    return struct.pack("<I", 8) + _string(value.encode())


def _number(value: int) -> bytes:
    return struct.pack("<II", 4, value)


def _list(kind: int, items: Iterable[bytes]) -> bytes:
    packed = list(items)
    return struct.pack("<IIQ", 9, kind, len(packed)) + b"".join(packed)


xgrammar = XGrammar()
llguidance = LLGuidance()
llamacpp = LlamaCpp()
ENGINES: tuple[Engine, ...] = (xgrammar, llguidance, llamacpp)
