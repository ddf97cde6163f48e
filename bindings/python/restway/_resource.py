"""Resources: bytes, files and descriptors that are sent as bodies, or as files of a multipart body.
"""

from __future__ import annotations

import builtins
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, Protocol, Union

from . import _ffi as native
from ._base.hints import require_number
from ._enums import Digest, SendFlag, UploadFlag, UploadProtocol
from ._handles import Owner, check, make, name, optional_name
from ._handles import content as content_of


class _BinaryFile(Protocol):
    """The part of a binary file that a resource needs."""

    def read(self, size: int = -1, /) -> bytes:
        """Returns at most `size` bytes, or all bytes."""


class Resource(Owner[native.ResourceHandle]):
    """Bytes, a file or a descriptor, with a name and a media type. It is immutable, and may be used
    in any number of requests at the same time.

        photo = restway.Resource.file("photo.jpg")
        client.put("me/photo", body=photo, digest=["content-md5"])
        client.post("photos", params={"title": "Ann"}, files={"photo": photo})

    A missing media type is found by the ending of the name: in `/etc/mime.types` or
    shared-mime-info, or else in a short list. An unknown ending is `application/octet-stream`.
    """

    __slots__ = ()

    _made_by = "use Resource.bytes, Resource.file or Resource.descriptor"

    @classmethod
    def bytes(
        cls, content: builtins.bytes, name: str | None = None, media_type: str | None = None
    ) -> Resource:
        """Makes a resource of bytes; `name` is the file's name in a multipart body."""
        return cls(
            make(
                native.ResourceHandle,
                native.lib.restway_resource_create_bytes,
                given := content_of(content, "the content of a resource"),
                len(given),
                optional_name(name),
                optional_name(media_type),
            )
        )

    @classmethod
    def file(
        cls, path: str | os.PathLike[str], name: str | None = None, media_type: str | None = None
    ) -> Resource:
        """Makes a resource of a file, which is opened each time it is sent. Without a `name` it has
        the last part of the path.
        """
        return cls(
            make(
                native.ResourceHandle,
                native.lib.restway_resource_create_file,
                _path(path),
                optional_name(name),
                optional_name(media_type),
            )
        )

    @classmethod
    def descriptor(
        cls,
        descriptor: int,
        offset: int | None = None,
        name: str | None = None,
        media_type: str | None = None,
    ) -> Resource:
        """Makes a resource of an open descriptor, which is duplicated. A regular file is read from
        `offset`, or from where the descriptor stands now, and its offset does not move. A pipe or a
        socket is read once.
        """
        return cls(
            make(
                native.ResourceHandle,
                native.lib.restway_resource_create_descriptor,
                require_number(descriptor, "a descriptor", least=-1, most=2**31 - 1),
                -1 if offset is None else require_number(offset, "an offset"),
                optional_name(name),
                optional_name(media_type),
            )
        )

    def __repr__(self) -> str:
        if self._owned is None:
            return "<Resource, closed>"
        return f"<Resource {self.name or 'without a name'}, {self.media_type}>"

    @property
    def name(self) -> str | None:
        """The file's name in a multipart body, or None."""
        return native.borrowed(native.lib.restway_resource_name(self._handle))

    @property
    def media_type(self) -> str:
        """The media type."""
        return native.borrowed(native.lib.restway_resource_media_type(self._handle)) or ""

    @property
    def length(self) -> int | None:
        """The number of bytes now; None for a pipe or a socket. Raises FileError."""
        length = native.whole_out()
        check(native.lib.restway_resource_length, self._handle, native.ref(length))
        return None if length.value < 0 else length.value

    def digest(self, algorithm: Literal["md5", "sha256"]) -> builtins.bytes:
        """Returns the digest of the bytes; a file is read for it, and once as long as it does not
        change. Raises UsageError for a pipe or a socket, and FileError.
        """
        number = _ALGORITHMS.get(algorithm)
        if number is None:
            raise ValueError(f"no digest algorithm: {algorithm!r}")
        buffer, length = native.bytes_out(_DIGEST_BYTES_MAX), native.number()
        check(
            native.lib.restway_resource_digest,
            self._handle,
            number,
            buffer,
            _DIGEST_BYTES_MAX,
            native.ref(length),
        )
        digest: builtins.bytes = buffer.raw[: length.value]
        return digest


_DIGEST_BYTES_MAX = 32

_ALGORITHMS = {"md5": Digest.MD5, "sha256": Digest.SHA256}

_SEND_FLAGS = {
    "content-md5": SendFlag.CONTENT_MD5,
    "digest": SendFlag.DIGEST,
    "repr-digest": SendFlag.REPR_DIGEST,
}

DigestHeader = Literal["content-md5", "digest", "repr-digest"]
"""A header with a digest: Content-MD5 (RFC 1864), Digest (RFC 3230) or Repr-Digest (RFC 9530)."""

FileContent = Union[
    Resource,
    bytes,
    "os.PathLike[str]",
    _BinaryFile,
    "tuple[str, bytes | os.PathLike[str] | _BinaryFile]",
    "tuple[str, bytes | os.PathLike[str] | _BinaryFile, str]",
]
"""A file of a multipart body: a Resource, bytes, a path (a `pathlib.Path`), a binary file, or a
tuple of a name, one of these, and possibly a media type.
"""

Files = Union[Mapping[str, FileContent], Iterable["tuple[str, FileContent]"]]
"""The files of a multipart body by the names of their parts, or as pairs if names repeat."""


def _path(path: str | os.PathLike[str]) -> bytes:
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"a path is a str or a path object, not {type(path).__name__}")
    return name(text)


def _resource_of(content: Any) -> Resource:
    """Returns the resource of one file of `files=`."""
    if isinstance(content, Resource):
        return content
    if isinstance(content, tuple):
        if len(content) not in (2, 3):
            raise TypeError(
                f"a file is a tuple of a name, its content and possibly a media type; "
                f"this tuple has {len(content)} elements"
            )
        return _made_of(content[1], content[0], content[2] if len(content) == 3 else None)
    return _made_of(content, None, None)


def _made_of(content: Any, file_name: str | None, media_type: str | None) -> Resource:
    if isinstance(content, (bytes, bytearray, memoryview)):
        return Resource.bytes(bytes(content), file_name, media_type)
    if isinstance(content, os.PathLike):
        return Resource.file(content, file_name, media_type)
    if isinstance(content, io.TextIOBase):
        raise TypeError("a file is a binary file, not a text file")
    if callable(getattr(content, "read", None)):
        return _of_open_file(content, file_name, media_type)
    raise TypeError(
        "a file is a Resource, bytes, a path object, a binary file or a tuple with a name, "
        f"not {type(content).__name__}"
    )


def _of_open_file(file: Any, file_name: str | None, media_type: str | None) -> Resource:
    """Makes a resource of the rest of an open file. Its descriptor is read if it has one; any other
    file is read now.
    """
    own_name = getattr(file, "name", None)
    if file_name is None and isinstance(own_name, str):
        file_name = os.path.basename(own_name)
    try:
        descriptor = file.fileno()
    except (AttributeError, OSError):
        return Resource.bytes(file.read(), file_name, media_type)
    if file.writable():
        file.flush()
    # The descriptor itself may stand behind, because Python reads ahead.
    offset = file.tell() if file.seekable() else None
    return Resource.descriptor(descriptor, offset, file_name, media_type)


def add_files(request: native.RequestHandle, files: Files) -> None:
    """For this package: adds files to the multipart body of a request."""
    for part, content in _pairs(files):
        resource = _resource_of(content)
        check(native.lib.restway_request_add_file, request, name(part), resource._handle)


def _pairs(files: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(files, Mapping):
        yield from files.items()
        return
    for pair in files:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("files are a mapping, or pairs of a part's name and a file")
        yield pair


def set_resource(
    request: native.RequestHandle, resource: Resource, digest: Iterable[DigestHeader] | None
) -> None:
    """For this package: sets a resource as the body of a request."""
    flags = 0
    for header in digest or ():
        flag = _SEND_FLAGS.get(header)
        if flag is None:
            known = ', '.join(_SEND_FLAGS)
            raise ValueError(f"no header with a digest: {header!r}; there are {known}")
        flags |= flag
    check(native.lib.restway_request_set_resource, request, resource._handle, flags)


class Resumable(NamedTuple):
    """How a resource is uploaded, for the keyword `resumable`. After a failure, the upload
    continues after the bytes that the server already has.

        film = restway.Resource.file("film.mp4")
        how = restway.Resumable("tus", state="film.upload")
        client.post("films", body=film, resumable=how)
    """

    protocol: Literal["tus", "ietf"] = "tus"
    """tus 1.0, or the IETF's draft "Resumable Uploads for HTTP"."""
    state: str | os.PathLike[str] | None = None
    """The path of a state file, with which a later call can continue the upload, also in another
    process. The file contains the upload's URL, which may be a secret; only the owner of the file
    can read the file. A file that is no state file is never replaced: the call raises FileError.
    """
    piece_bytes: int | None = None
    """The largest number of bytes in one request; None sends all the rest in one request."""
    terminate: bool = False
    """Whether the call deletes the upload that the state file names from the server, instead of
    continuing the upload.
    """


Resumption = Union[Literal["tus", "ietf", "none"], Resumable]
"""The protocol of an upload, or a protocol with options. "none" sends the resource in one request.
"""

_PROTOCOLS = {
    "none": UploadProtocol.PLAIN,
    "tus": UploadProtocol.TUS,
    "ietf": UploadProtocol.IETF,
}


def set_resumable(request: native.RequestHandle, resumption: Resumption) -> None:
    """For this package: sets how the resource of a request is uploaded."""
    plan = resumption if isinstance(resumption, Resumable) else Resumable()
    protocol = resumption.protocol if isinstance(resumption, Resumable) else resumption
    number = _PROTOCOLS.get(protocol)
    if number is None:
        known = ', '.join(_PROTOCOLS)
        raise ValueError(f"no protocol of uploads: {protocol!r}; there are {known}")
    piece = plan.piece_bytes
    if piece is not None and not 0 < piece < 2**63:
        raise ValueError(f"a piece has 1 byte or more, not {piece}")
    flags = UploadFlag.TERMINATE if plan.terminate else UploadFlag(0)
    state = None if plan.state is None else _path(plan.state)
    check(native.lib.restway_request_set_resumable, request, number, state, piece or 0, flags)
