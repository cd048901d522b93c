/** Finds text of a page that is cut off, leaves its box or lies over other text, and squeezed icons. It runs in the page. */
export const TEXT_FAULTS = `(() => {
  const faults = [];
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 0) {
    const wide = [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1
      && one.checkVisibility() && !one.closest("dialog:not([open]), svg, .nav-more:not(:popover-open)"));
    faults.push("sideways by " + over + ": " + wide.slice(0, 3).map((one) => one.tagName + "." + one.className).join(", "));
  }
  for (const icon of document.querySelectorAll("svg[width]")) {
    const { width } = icon.getBoundingClientRect();
    if (width > 0 && width < icon.width.baseVal.value - 1)
      faults.push("squeezed to " + Math.round(width) + ": an icon in " + icon.parentElement.tagName + "." + icon.parentElement.className);
  }
  /** Whether the reader is not meant to see it, as with labels for screen readers. */
  const isHidden = (element) => !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    || element.closest(".visually-hidden, .nav-news, [aria-hidden=true]:not(.boxes, .chart-days), option, script, noscript, canvas") !== null
    || (element.closest("[popover]") !== null && element.closest(":popover-open") === null && getComputedStyle(element.closest("[popover]")).display === "none");
  /** What lies over the page by intention: the bar at the bottom, dialogs. */
  const layerOf = (element) => {
    for (let one = element; one !== null; one = one.parentElement)
      if (["fixed", "sticky"].includes(getComputedStyle(one).position)) return one;
    return null;
  };
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === "" || element === null || isHidden(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
    if (rects.length > 0) texts.push({ node, element, rects, layer: layerOf(element) });
  }
  const name = ({ node, element }) => JSON.stringify(node.data.trim().slice(0, 40)) + " in " + element.tagName + "." + String(element.className?.baseVal ?? element.className);
  const isBroken = (node, at, length) => {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + length);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
  };
  for (const text of texts) {
    for (let box = text.element; box !== null && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      const hides = /hidden|clip/.test(style.overflowX + style.overflowY);
      const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY);
      const isFramed = parseFloat(style.borderTopWidth) > 0 || (style.backgroundColor !== "rgba(0, 0, 0, 0)" && style.display !== "inline");
      if (scrolls || box.tagName === "SVG" || box.tagName === "svg") break;
      if (hides || isFramed) {
        const outer = box.getBoundingClientRect();
        const left = text.rects.filter(({ left, right, top, bottom, height }) => {
          const slack = 1 + height * 0.2;
          return left < outer.left - 2 || right > outer.right + 2 || top < outer.top - slack || bottom > outer.bottom + slack;
        });
        if (left.length > 0) faults.push((hides ? "cut off: " : "out of its box: ") + name(text) + " by " + box.tagName + "." + box.className);
        if (left.length > 0) break;
      }
      if (style.position === "fixed" || box.tagName === "DIALOG") break;
    }
    const isOneWord = !/\\s/.test(text.node.data.trim()) && text.element.closest(".badge, .number, .chart-days, [role=timer]") !== null;
    if (isOneWord && text.rects.length > 1) faults.push("broken: " + name(text));
    // A word of a button stays in one line, unless it is longer than those of the app.
    if (text.element.closest("button, .button") !== null) for (const word of text.node.data.matchAll(/[\\p{L}\\p{M}]+/gu)) {
      if (word[0].length <= 16 && isBroken(text.node, word.index, word[0].length)) faults.push("broken at " + word[0] + ": " + name(text));
    }
    // The name of a time zone breaks between its parts alone.
    for (const zone of text.node.data.matchAll(/[A-Z][a-z]+(?:[/_]\\u200B?[A-Z][a-z]+)+/g)) for (const part of zone[0].matchAll(/[A-Za-z]+/g)) {
      if (isBroken(text.node, zone.index + part.index, part[0].length)) faults.push("broken at " + part[0] + ": " + name(text));
    }
  }
  const inner = ({ left, right, top, bottom, height }) => ({ left: left + 1, right: right - 1, top: top + height * 0.25, bottom: bottom - height * 0.25 });
  for (const [at, one] of texts.entries()) for (const other of texts.slice(at + 1)) {
    if (one.layer !== other.layer) continue;
    const meet = one.rects.some((a) => other.rects.some((b) => {
      const [first, second] = [inner(a), inner(b)];
      return first.left < second.right && second.left < first.right && first.top < second.bottom && second.top < first.bottom;
    }));
    if (meet) faults.push("overlap: " + name(one) + " and " + name(other));
  }
  return faults;
})()`;
