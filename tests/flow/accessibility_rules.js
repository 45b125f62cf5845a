// Rules of accessibility, in the words of the browser. Returns one sentence for each finding.
() => {
  const found = [];
  const say = (rule, node) => found.push(`${rule}: ${node.outerHTML ? node.outerHTML.slice(0, 120) : node}`);
  const shown = (node) => node.checkVisibility({ visibilityProperty: true }) && node.getClientRects().length > 0;
  const all = (what) => [...document.querySelectorAll(what)];
  const name = (node) => {
    const by = node.getAttribute("aria-labelledby");
    if (by) return by.split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim();
    return (node.getAttribute("aria-label") ?? node.getAttribute("title") ?? node.textContent ?? "").trim();
  };

  // the document
  if (!document.documentElement.lang) say("no language", document.documentElement);
  if (!document.title.trim()) say("no title", document.head);
  if (!/width=device-width/.test(document.querySelector("meta[name=viewport]")?.content ?? "")) say("no viewport", document.head);
  if (/user-scalable=no|maximum-scale/.test(document.querySelector("meta[name=viewport]")?.content ?? "")) say("zoom forbidden", document.head);

  // landmarks
  for (const what of ["main", "body > header", "body > footer"]) {
    if (all(what).length !== 1) say(`not exactly one ${what}`, document.body);
  }
  for (const nav of all("nav")) if (!name(nav)) say("navigation without a name", nav);
  for (const node of document.body.children) {
    if (!["HEADER", "MAIN", "FOOTER", "SCRIPT"].includes(node.tagName) && !node.matches("a.skip")) say("outside landmarks", node);
  }
  const skip = document.querySelector("a.skip");
  if (!skip || !document.querySelector(skip.getAttribute("href"))) say("no way to skip to the content", document.body);

  // headings
  if (all("h1").length !== 1) say("not exactly one h1", document.body);
  let level = 0;
  for (const heading of all("h1, h2, h3, h4, h5, h6")) {
    const here = Number(heading.tagName[1]);
    if (here > level + 1) say("heading level skipped", heading);
    if (!heading.textContent.trim()) say("empty heading", heading);
    level = here;
  }

  // names
  for (const node of all("a[href], button, summary")) if (!name(node)) say("control without a name", node);
  for (const node of all("img:not([alt])")) say("picture without alt", node);
  for (const node of all("svg")) if (node.getAttribute("role") !== "img" || !name(node)) say("drawing without a name", node);
  for (const node of all("iframe")) if (!node.title) say("frame without a title", node);
  for (const node of all("input:not([type=hidden]), select, textarea")) if (!node.labels?.length) say("field without a label", node);
  for (const node of all("fieldset")) if (!node.querySelector("legend")) say("fieldset without a legend", node);
  for (const node of all("[role=group]")) if (!name(node)) say("group without a name", node);

  // structure
  const ids = all("[id]").map((node) => node.id);
  for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) say("id used twice", id);
  for (const node of all("[aria-labelledby]")) {
    for (const id of node.getAttribute("aria-labelledby").split(/\s+/)) if (!document.getElementById(id)) say("points to nothing", node);
  }
  for (const table of all("table")) {
    for (const head of table.querySelectorAll("th")) if (!head.scope) say("heading of a table without scope", head);
    if (!table.querySelector("thead th")) say("table without headings", table);
  }
  for (const list of all("ul, ol")) for (const child of list.children) if (child.tagName !== "LI") say("not an item of the list", child);
  for (const list of all("dl")) for (const child of list.children) if (!["DIV", "DT", "DD"].includes(child.tagName)) say("not a part of the list", child);
  for (const node of all("[tabindex]")) if (node.tabIndex > 0) say("order of focus forced", node);
  for (const node of all("main *")) {
    const style = getComputedStyle(node);
    const scrolls = /auto|scroll/.test(style.overflowX) && node.scrollWidth > node.clientWidth + 1;
    if (scrolls && shown(node) && node.tabIndex < 0) say("scrolls but not by keyboard", node);
  }
  if (document.documentElement.scrollWidth > window.innerWidth) say("wider than the screen", document.documentElement.scrollWidth);

  // contrast
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under) => [0, 1, 2].map((at) => top[at] * top[3] + under[at] * (1 - top[3])).concat(1);
  const behind = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => { const c = part / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const node = text.parentElement;
    if (!text.data.trim() || seen.has(node) || node.closest("script, style, .hidden, title") || !shown(node)) continue;
    seen.add(node);
    const style = getComputedStyle(node);
    const drawn = node.closest("svg");
    const under = drawn ? behind(drawn) : behind(node);
    const ink = over(rgba(drawn ? style.fill : style.color), under);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast(ink, under) < (large ? 3 : 4.5)) say(`contrast ${contrast(ink, under).toFixed(2)}`, node);
  }
  return found;
}
