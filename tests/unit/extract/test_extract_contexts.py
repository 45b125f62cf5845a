"""What is remembered of tags is forgotten again, wherever on a page they stood."""

from recrawl.extract.contexts import Context, Contexts

HIDING = ('div hidden=""', "video", 'p style="display:none"')


def hidden_by(contexts: Contexts, tag: str) -> Context:
    return contexts.child(contexts.body, tag)


def test_tags_inside_what_is_hidden_are_forgotten_with_all_others() -> None:
    before, after = Contexts(), Contexts()
    for tag in HIDING:
        before.child(hidden_by(before, tag), 'source src="/1.mp4"')
        assert hidden_by(before, tag).children
        assert not hidden_by(after, tag).children
