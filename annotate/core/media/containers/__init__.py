"""Container and codecs of a clip or recording, read from the head of its file.

Files come from strangers. Readers skip what they do not need, read a bounded number of bounded
pieces, and return nothing for what they do not understand.
"""
