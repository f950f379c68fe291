"""Data sets as others have them: BEIR folders, folders in the layout of the Hub, ir_datasets."""
