"""Writes a web archive as crawlers do: answers packed and in chunks, their requests, a revisit, a resource."""

import gzip
import sys
import zlib
from io import BytesIO

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

DATE = "2020-09-13T12:26:40Z"


def chunked(body):
    chunks = [body[at:at + 11] for at in range(0, len(body), 11)]
    return b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


def page(name):
    return f"<!doctype html><title>{name}</title><h1>The {name} page</h1><p>Words of {name}.</p>".encode()


def answer(writer, name, fields, body, status="200 OK", kind="response"):
    url = f"http://a.test/{name}"
    head = StatusAndHeaders(status, [("Content-Type", "text/html; charset=utf-8"), *fields], protocol="HTTP/1.1")
    warc_headers = {"WARC-Date": DATE}
    record = writer.create_warc_record(url, kind, BytesIO(body), http_headers=head, warc_headers_dict=warc_headers)
    head = StatusAndHeaders(f"GET /{name} HTTP/1.1", [("Host", "a.test")], is_http_request=True)
    request = writer.create_warc_record(url, "request", http_headers=head, warc_headers_dict=warc_headers)
    writer.write_request_response_pair(request, record)


with open(sys.argv[1], "wb") as file:
    writer = WARCWriter(file, gzip=sys.argv[1].endswith(".gz"), warc_version="WARC/1.0")
    writer.write_record(writer.create_warcinfo_record("x.warc", {"software": "warcio"}))
    answer(writer, "plain", [], page("plain"))
    answer(writer, "gzip", [("Content-Encoding", "gzip")], gzip.compress(page("gzip")))
    answer(writer, "deflate", [("Content-Encoding", "deflate")], zlib.compress(page("deflate")))
    answer(writer, "chunks", [("Transfer-Encoding", "chunked")], chunked(page("chunks")))
    both = [("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")]
    answer(writer, "both", both, chunked(gzip.compress(page("both"))))
    # Decoded by the crawler, which kept the fields.
    answer(writer, "decoded", both, page("decoded"))
    answer(writer, "gone", [], page("gone"), status="404 Not Found")
    revisit = writer.create_revisit_record(
        "http://a.test/again", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "http://a.test/plain", DATE,
        warc_headers_dict={"WARC-Date": DATE})
    writer.write_record(revisit)
    headers = {"WARC-Date": DATE}
    writer.write_record(writer.create_warc_record(
        "http://a.test/resource", "resource", BytesIO(page("resource")), warc_content_type="text/html",
        warc_headers_dict=headers))
    writer.write_record(writer.create_warc_record(
        "http://a.test/plain", "metadata", BytesIO(b"via: http://a.test/\r\n"),
        warc_content_type="application/warc-fields", warc_headers_dict=headers))
