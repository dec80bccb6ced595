"""Prints every record of web archives: type, address, date, status, content type, SHA-256 of the content.

Fails if warcio finds a wrong digest or cannot read on.
"""

import hashlib
import json
import sys

from warcio.archiveiterator import ArchiveIterator

for name in sys.argv[1:]:
    with open(name, "rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            content = record.content_stream().read()
            http = record.http_headers
            print(json.dumps({
                "type": record.rec_type,
                "id": record.rec_headers.get_header("WARC-Record-ID"),
                "url": record.rec_headers.get_header("WARC-Target-URI"),
                "date": record.rec_headers.get_header("WARC-Date"),
                "status": http and http.get_statuscode(),
                "content_type": http and http.get_header("Content-Type"),
                "bytes": len(content),
                "sha256": hashlib.sha256(content).hexdigest(),
            }))
