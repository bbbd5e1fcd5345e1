"""Solution to files: `render` makes the texts, `write` puts them in place, `check` says which are out of date.

Targets are data, one folder of `templates/` each, see `targets`. Import from the modules: the checker needs only
`targets`, and `render` needs jinja2.
"""
