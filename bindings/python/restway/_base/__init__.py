"""Messages of mistakes, lazy modules and common interfaces, which call nothing of the library."""
