// What is wrong with the layout of a report: a list of sentences.
(() => {
  const wrong = [];
  const width = document.documentElement.clientWidth;
  const isShown = (element) => element.getClientRects().length > 0;
  const name = (element) => `${element.tagName} "${element.textContent.trim().slice(0, 40)}"`;
  if (document.documentElement.scrollWidth > width) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
  const scrolls = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (["auto", "scroll", "hidden"].includes(getComputedStyle(at).overflowX)) return true;
    }
    return false;
  };
  for (const element of document.querySelectorAll("body *")) {
    if (isShown(element) && element.getBoundingClientRect().right > width + 1 && !scrolls(element)) {
      wrong.push(`${name(element)} sticks out`);
    }
  }
  for (const figure of document.querySelectorAll("figure")) {
    if (figure.scrollWidth > figure.clientWidth + 1) wrong.push("a figure is cut off");
  }
  for (const details of document.querySelectorAll("details")) details.open = true;
  for (const table of document.querySelectorAll(".scroll")) {
    if (table.scrollWidth > table.clientWidth + 1) wrong.push(`${name(table)} is cut off`);
  }
  for (const svg of [...document.querySelectorAll("svg")].filter(isShown)) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((text) => {
      const scale = text.getScreenCTM();
      return { text, size: parseFloat(getComputedStyle(text).fontSize) * Math.hypot(scale.a, scale.b),
        box: text.getBoundingClientRect(), turn: Math.round((Math.atan2(scale.b, scale.a) * 180) / Math.PI) };
    });
    for (const { text, size, box } of texts) {
      if (size < 9.5) wrong.push(`${name(text)} of ${svg.id} is ${size.toFixed(1)} pixels high`);
      if (box.right > frame.right + 1 || box.left < frame.left - 1 || box.bottom > frame.bottom + 1) {
        wrong.push(`${name(text)} leaves ${svg.id}`);
      }
    }
    const upright = texts.filter(({ turn }) => turn % 90 === 0);
    for (const [k, one] of upright.entries()) {
      for (const other of upright.slice(k + 1)) {
        const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        if (across > 1 && down > 0.35 * Math.min(one.size, other.size)) {
          wrong.push(`${name(one.text)} and ${name(other.text)} of ${svg.id} collide`);
        }
      }
    }
  }
  const light = (color) => {
    const parts = color.match(/[\d.]+/g).map(Number);
    const linear = parts.slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (!/, 0\)$/.test(color) && color !== "transparent") return color;
    }
    return "rgb(255, 255, 255)";
  };
  for (const element of [...document.querySelectorAll("h1, h2, p, td, th, li, a, summary, figcaption, code, .verdict")].filter(isShown)) {
    const [ink, paper] = [light(getComputedStyle(element).color), light(ground(element))];
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (contrast < 4.5) wrong.push(`${name(element)} has a contrast of ${contrast.toFixed(1)}`);
  }
  const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map((heading) => Number(heading.tagName[1]));
  if (levels[0] !== 1 || levels.some((level, k) => k > 0 && level > levels[k - 1] + 1)) wrong.push(`headings ${levels}`);
  for (const svg of document.querySelectorAll("svg")) {
    if (svg.getAttribute("role") !== "img" || !svg.querySelector("title")) wrong.push(`${svg.id} has no words for those who cannot see it`);
  }
  for (const table of document.querySelectorAll("table")) {
    if (!table.querySelector("th[scope]")) wrong.push("a table has no headers");
  }
  if (!document.documentElement.lang || !document.title) wrong.push("the page has no language or no title");
  return wrong;
})()
