"""What is kept, taken away in the form other tools like, and what others know, taken in.

`export` streams tables, WARC and mirrors out, whole or not at all; `import_` reads lists, histories and archives of
anybody and folds them as if recrawl had seen them itself. What was exported can be imported again and is the same.
"""
