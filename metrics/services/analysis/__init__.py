"""The analysis room: tables and figures of a collection, each a row of one register."""
