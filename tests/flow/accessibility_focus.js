// Controls that look the same with and without the keyboard's focus.
() => {
  const unseen = [];
  const style = (node) => { const s = getComputedStyle(node); return `${s.outlineStyle} ${s.outlineWidth} ${s.boxShadow} ${s.backgroundColor} ${s.left}`; };
  for (const node of document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary, [tabindex='0']")) {
    if (!node.checkVisibility()) continue;
    document.activeElement?.blur();
    const before = style(node);
    node.focus({ focusVisible: true });
    if (document.activeElement === node && style(node) === before) unseen.push(node.outerHTML.slice(0, 120));
  }
  return unseen;
}
