"""The figures about noiseless privacy, after Grining and Klonowski (2017): all the book's own."""
