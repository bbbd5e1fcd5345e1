"""Solution to files: `render` makes the texts, `write` puts them in place, `check` says which are out of date.

What can be emitted is data: a folder in `templates/` for each target, see `targets`. Import from
the modules: the checker asks for `targets` alone, and `render` needs jinja2.
"""
