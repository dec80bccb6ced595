//! WISDOM against its plain transcription, and on small pages.
