#!/usr/bin/env python3
"""Prints the words of an English recording as WebVTT.

    pip install pocketsphinx==5.1.1   # with its model of English, 38 MB
    apt-get install sox               # reads the recording; add libsox-fmt-all for MP3
    python3 transcribe.py recording.wav

Pocketsphinx needs no account and no graphics card. It is fast and often wrong: use it to try recordings, not to rely on them.
"""

import subprocess
import sys

from pocketsphinx import Decoder, Segmenter

RATE = 16_000  # samples per second of the model
SAMPLE_BYTES = 2


def main(recording):
    decoder = Decoder(samprate=RATE, loglevel="FATAL")
    sound = ["sox", recording, "-t", "raw", "-r", str(RATE), "-c", "1", "-b", "16", "-e", "signed-integer", "-"]
    with subprocess.Popen(sound, stdout=subprocess.PIPE) as sox:
        print("WEBVTT\n")
        for speech in Segmenter(sample_rate=RATE).segment(sox.stdout):
            decoder.start_utt()
            decoder.process_raw(speech.pcm, full_utt=True)
            decoder.end_utt()
            words = decoder.hyp()
            if words and words.hypstr:
                end = speech.start_time + len(speech.pcm) / SAMPLE_BYTES / RATE
                print(f"{clock(speech.start_time)} --> {clock(end)}\n{words.hypstr}\n", flush=True)
    return sox.returncode


def clock(seconds):
    """Returns seconds as hours:minutes:seconds."""
    return f"{int(seconds // 3600):02}:{int(seconds // 60 % 60):02}:{seconds % 60:06.3f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[-1]))
