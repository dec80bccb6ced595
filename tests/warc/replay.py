"""Prints what pywb shows for URLs of a package (WACZ), or of a folder with archives and their indexes: status and body."""

import gevent.monkey

gevent.monkey.patch_all()

import json
import logging
import os
import sys
import tempfile
from contextlib import redirect_stdout

from pywb.apps.frontendapp import FrontEndApp
from pywb.manager.manager import main as manage
from werkzeug.test import Client

given = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    # Whatever pywb says goes to standard error.
    with redirect_stdout(sys.stderr):
        logging.disable(logging.INFO)
        if os.path.isdir(given):
            config = {"collections": {"news": {"archive_paths": f"{given}/", "index_paths": f"{given}/"}}}
        else:
            config = {}
            manage(["init", "news"])
            manage(["add", "--unpack-wacz", "news", given])
        client = Client(FrontEndApp(custom_config=config))
        shown = [client.get(f"/news/mp_/{url}", follow_redirects=True) for url in sys.argv[2:]]
    for answer in shown:
        print(json.dumps({"status": answer.status_code, "body": answer.get_data(as_text=True)}))
