"""What a clip or recording is: its container and codecs, read from the head of its file.

Files come from strangers. Readers jump over what they do not need, read a bounded number of bounded pieces, and say
nothing about what they do not understand.
"""
