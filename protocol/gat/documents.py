"""XML of results: the list of special functions, and the checksums of components.

The device wrote it, so it is bounded before it is read: no document type, no entity, few levels, short texts.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple
from xml.parsers import expat

from protocol.errors import BadAnswer
from protocol.gat.functions import SpecialFunction
from protocol.printable import printable

DOCUMENT_MAX: Final = 1 << 20
"""Maximum length of a result in bytes: at 9600 baud it takes twenty minutes."""
ELEMENTS_MAX: Final = 20_000
DEPTH_MAX: Final = 8
VALUE_MAX: Final = 1024
"""Maximum number of characters of a value."""
ENCODINGS: Final = ("UTF-8", "UTF-16", "US-ASCII", "ISO-8859-1")
EXECUTABLE: Final = "default"
"""Value of the attribute GatExec that devices are known to send. Its meaning is unknown."""
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class ComponentSum(NamedTuple):
    """A component of a game and its checksum."""

    game: str
    manufacturer: str
    name: str
    checksum: str


class Checksum:
    """Checksum of a component, measured piece by piece: HMAC-SHA1 with a key, otherwise SHA-1."""

    def __init__(self, key: bytes = b"") -> None:
        self._digest = hmac.new(key, b"", hashlib.sha1) if key else hashlib.sha1(usedforsecurity=False)
        self.update = self._digest.update

    def text(self) -> str:
        """Return it in capital hexadecimal digits."""
        return self._digest.hexdigest().upper()


def checksum(data: bytes, key: bytes = b"") -> str:
    """Return the checksum of a component at once."""
    whole = Checksum(key)
    whole.update(data)
    return whole.text()


# ------------------------------------------------------------------ writing


def write_functions(game: str, manufacturer: str, functions: Iterable[SpecialFunction]) -> bytes:
    """Return the list of special functions."""
    lines = [_element(1, "Name", game), _element(1, "Manufacturer", manufacturer)]
    for each in functions:
        inner = [_element(2, "Feature", each.feature), *(_element(2, "Parameter", one) for one in each.parameters)]
        lines += ["  <Function>", *inner, "  </Function>"]
    return _document("SpecialFunctions", lines)


def write_components(game: str, manufacturer: str, sums: Iterable[tuple[str, str]]) -> bytes:
    """Return the checksums of components, by name."""
    lines = ["  <Game>", _element(2, "Name", game), _element(2, "Manufacturer", manufacturer)]
    for name, digits in sums:
        inner = [_element(3, "Name", name), _element(3, "Checksum", digits)]
        lines += ["    <Component>", *inner, "    </Component>"]
    return _document("Components", [*lines, "  </Game>"])


def _element(depth: int, name: str, text: str) -> str:
    return f"{'  ' * depth}<{name}>{text.translate(_ESCAPES)}</{name}>"


def _document(root: str, lines: list[str]) -> bytes:
    head = ['<?xml version="1.0"?>', f'<{root} GatExec="{EXECUTABLE}">']
    return "".join(f"{line}\r\n" for line in (*head, *lines, f"</{root}>")).encode()


# ------------------------------------------------------------------ reading


class XmlNode(NamedTuple):
    """An element: its name without a prefix, its text, its children."""

    name: str
    text: list[str]
    children: "list[XmlNode]"

    def value(self, name: str) -> str:
        """Return the text of the first child of this name, empty without one."""
        return next((child.content for child in self.children if child.name == name), "")

    def all(self, name: str) -> "Iterator[XmlNode]":
        """Yield the children of this name."""
        return (child for child in self.children if child.name == name)

    @property
    def content(self) -> str:
        """Text without the white space around it."""
        return "".join(self.text).strip()


class _Refused(Exception):
    """A document that is not read further."""


class _Reader:
    """Builder of nodes from expat's calls, within the bounds."""

    def __init__(self) -> None:
        self.root = XmlNode("", [], [])
        self._open, self._count = [self.root], 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = lambda _: self._open.pop()
        self._parser.CharacterDataHandler = self._characters
        self._parser.XmlDeclHandler = self._declared
        self._parser.StartDoctypeDeclHandler = self._refuse("a document type")
        self._parser.EntityDeclHandler = self._refuse("an entity")
        self._parser.ProcessingInstructionHandler = self._refuse("a processing instruction")

    def read(self, document: bytes) -> XmlNode:
        self._parser.Parse(document, True)
        return self.root.children[0]

    def _refuse(self, what: str) -> Callable[..., None]:
        def refuse(*_: object) -> None:
            raise _Refused(f"it has {what}, which is not read")

        return refuse

    def _declared(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.upper() not in ENCODINGS:
            raise _Refused(f"its encoding is {printable(encoding, 40)!r}; allowed: {', '.join(ENCODINGS)}")

    def _start(self, name: str, _attributes: object) -> None:
        self._count += 1
        if self._count > ELEMENTS_MAX or len(self._open) > DEPTH_MAX:
            raise _Refused(f"it has more than {ELEMENTS_MAX} elements or {DEPTH_MAX} levels")
        node = XmlNode(name.rpartition(":")[2], [], [])
        self._open[-1].children.append(node)
        self._open.append(node)

    def _characters(self, text: str) -> None:
        held = self._open[-1].text
        if not held and text.isspace():
            return  # the indentation of what is inside
        held.append(text)
        if sum(map(len, held)) > VALUE_MAX:
            raise _Refused(f"a value has more than {VALUE_MAX} characters")


def read_document(document: bytes, root: str) -> XmlNode:
    """Return the root of a result. Raise BadAnswer for one that cannot be read, or has another root."""
    if len(document) > DOCUMENT_MAX:
        raise BadAnswer(root, f"the result has {len(document):,} bytes; allowed: {DOCUMENT_MAX:,}")
    try:
        found = _Reader().read(document)
    except (expat.ExpatError, _Refused, ValueError, LookupError) as error:
        raise BadAnswer(root, f"the result cannot be read: {error}") from None
    if found.name != root:
        raise BadAnswer(root, f"the result is a {printable(found.name, 40)!r}")
    return found


def read_functions(document: bytes) -> tuple[SpecialFunction, ...]:
    """Return the special functions of a list. Raise BadAnswer."""
    found = read_document(document, "SpecialFunctions")
    return tuple(
        SpecialFunction(each.value("Feature"), tuple(one.content for one in each.all("Parameter")))
        for each in found.all("Function")
    )


def read_components(document: bytes) -> tuple[ComponentSum, ...]:
    """Return the components of a result and their checksums. Raise BadAnswer, also for a component without a name or
    a checksum."""
    sums = [
        ComponentSum(game.value("Name"), game.value("Manufacturer"), each.value("Name"), each.value("Checksum"))
        for game in read_document(document, "Components").all("Game")
        for each in game.all("Component")
    ]
    for each in sums:
        if not each.name or not each.checksum:
            raise BadAnswer("Components", f"a component has no name or no checksum: {printable(each.name, 40)!r}")
    return tuple(sums)
