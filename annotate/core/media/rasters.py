"""The raster of a preview: the mean colours of an image in 32 by 32 cells, whatever its shape."""

RASTER_SIDE = 32  # cells
RASTER_BYTES = 3 * RASTER_SIDE**2  # rows of cells from the top, each cell red, green and blue
