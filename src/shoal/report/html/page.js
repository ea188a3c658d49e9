"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { rules, texts, rows } = data;
  const list = document.getElementById("list");
  if (!list) return;
  const SEVERITIES = ["error", "warning", "info"];
  const LABELS = { error: "error", warning: "warning", info: "note" };
  const CONFIDENCES = ["high", "medium", "low"];
  const PAGE = 50;
  const PRINTED = 500;
  const KEYS = ["q", "severity", "confidence", "rule", "engine", "folder", "owner", "sort"];
  const form = document.getElementById("filters");
  const status = document.getElementById("status");
  const pages = document.getElementById("pages");
  const number = new Intl.NumberFormat("en");

  // The columns of a row, as pack.py writes them.
  const severity = (row) => SEVERITIES[row[0]];
  const confidence = (row) => CONFIDENCES[row[1]];
  const rule = (row) => texts[row[2]];
  const message = (row) => texts[row[3]];
  const path = (row) => texts[row[4]];
  const owners = (row) => row[5].map((owner) => texts[owner]);
  const fingerprint = (row) => row[6];
  const engine = (row) => rules[rule(row)][0];

  const hay = [];
  function searched(at) {
    if (hay[at] === undefined) {
      const row = rows[at];
      const words = [rule(row), rules[rule(row)][1], message(row), path(row), ...owners(row)];
      for (const place of row[7]) {
        words.push(texts[place[0]], texts[place[3]]);
        for (const line of place[4]) words.push(texts[line[1]]);
      }
      hay[at] = words.join("\n").toLowerCase();
    }
    return hay[at];
  }

  let wanted = {};
  let chosen = [];
  let page = 0;

  function inside(file, folder) {
    return folder === "." ? !file.includes("/") : file.startsWith(folder + "/");
  }

  function choose() {
    const words = (wanted.q || "").toLowerCase().split(/\s+/).filter(Boolean);
    chosen = [];
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at];
      if (wanted.severity && severity(row) !== wanted.severity) continue;
      if (wanted.confidence && confidence(row) !== wanted.confidence) continue;
      if (wanted.rule && rule(row) !== wanted.rule) continue;
      if (wanted.engine && engine(row) !== wanted.engine) continue;
      if (wanted.folder && !inside(path(row), wanted.folder)) continue;
      if (wanted.owner && !owners(row).includes(wanted.owner)) continue;
      if (words.length && !words.every((word) => searched(at).includes(word))) continue;
      chosen.push(at);
    }
    const by = { path, rule }[wanted.sort];
    if (by) {
      const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
      chosen.sort((a, b) => compare(by(rows[a]), by(rows[b])) || (wanted.sort === "path" ? rows[a][7][0][1] - rows[b][7][0][1] : a - b) || a - b);
    }
  }

  // Everything goes in as text or as an attribute, never as markup.
  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  function linked(key, name) {
    return make("a", { href: "#" + new URLSearchParams({ [key]: name }) }, name);
  }

  function marked(line) {
    const text = texts[line[1]];
    if (line.length < 4) return [text];
    return [text.slice(0, line[2]), make("mark", {}, text.slice(line[2], line[3])), text.slice(line[3])];
  }

  function figure(place, at) {
    const caption = make("figcaption", {}, `${texts[place[0]]}:${place[1]}:${place[2]}`);
    if (texts[place[3]]) caption.append(" ", make("span", {}, texts[place[3]]));
    const shown = make("figure", { class: at ? "related" : "primary" }, caption);
    if (place[4].length) {
      const lines = place[4].map((line) => make("code", {}, make("b", {}, String(line[0])), make("span", {}, ...marked(line))));
      shown.append(make("pre", {}, ...lines));
    }
    return shown;
  }

  function card(row) {
    const id = fingerprint(row);
    const level = severity(row);
    const title = make("h3", { id: `title-${id}` }, make("span", { class: `badge ${level}` }, LABELS[level]), " ", message(row));
    const meta = make("p", { class: "meta" }, linked("rule", rule(row)), make("span", {}, `${confidence(row)} confidence`), make("span", {}, engine(row)));
    meta.append(...owners(row).map((owner) => linked("owner", owner)));
    meta.append(make("a", { class: "permalink", href: `#finding-${id}`, "aria-label": "Link to this finding" }, "link"));
    const article = make("article", { id: `finding-${id}`, class: `card ${level}`, tabindex: "-1", "aria-labelledby": `title-${id}` }, title);
    article.append(meta, ...row[7].map(figure));
    for (const [fix, safe] of row[8]) {
      article.append(make("p", { class: "fix" }, `Fix: ${texts[fix]} (shoal check --fix${safe ? "" : " --unsafe-fixes"})`));
    }
    return make("li", {}, article);
  }

  function show(from, count) {
    list.replaceChildren(...chosen.slice(from, from + count).map((at) => card(rows[at])));
    list.setAttribute("start", String(from + 1));
  }

  function draw() {
    const last = Math.max(0, Math.ceil(chosen.length / PAGE) - 1);
    page = Math.min(Math.max(page, 0), last);
    show(page * PAGE, PAGE);
    const all = number.format(rows.length);
    status.textContent = chosen.length === rows.length ? `${all} finding${rows.length === 1 ? "" : "s"}` : `${number.format(chosen.length)} of ${all} findings`;
    pages.hidden = last === 0;
    document.getElementById("page").textContent = `Page ${number.format(page + 1)} of ${number.format(last + 1)}`;
    document.getElementById("previous").disabled = page === 0;
    document.getElementById("next").disabled = page === last;
  }

  function fill() {
    for (const key of KEYS) {
      const field = form.elements[key];
      if (!field) continue;
      const value = wanted[key] || "";
      if (field.tagName === "SELECT" && ![...field.options].some((option) => option.value === value)) {
        field.append(new Option(value, value));
      }
      if (field.value !== value) field.value = value;
    }
  }

  function remember() {
    const given = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value));
    if (page) given.set("page", String(page + 1));
    history.replaceState(null, "", "#" + given);
  }

  function jump(id) {
    const found = rows.findIndex((row) => fingerprint(row) === id);
    if (found < 0) {
      status.textContent = `That finding is not in this report. ${number.format(chosen.length)} findings are listed.`;
      top();
      return;
    }
    if (!chosen.includes(found)) {
      wanted = {};
      choose();
      fill();
    }
    page = Math.floor(chosen.indexOf(found) / PAGE);
    draw();
    const target = document.getElementById(`finding-${id}`);
    target.classList.add("shown");
    target.scrollIntoView({ block: "center" });
    target.focus({ preventScroll: true });
  }

  function top() {
    const heading = document.getElementById("findings");
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  }

  function follow() {
    const hash = location.hash.slice(1);
    if (hash.startsWith("finding-")) return jump(hash.slice("finding-".length));
    if (hash && !hash.includes("=")) return undefined; // a heading of the page
    const given = new URLSearchParams(hash);
    wanted = Object.fromEntries(KEYS.map((key) => [key, given.get(key) || ""]));
    page = (Number.parseInt(given.get("page"), 10) || 1) - 1;
    choose();
    fill();
    draw();
    if (hash) top();
    return undefined;
  }

  let waiting = 0;
  function changed() {
    clearTimeout(waiting);
    wanted = Object.fromEntries(KEYS.map((key) => [key, form.elements[key] ? form.elements[key].value.trim() : ""]));
    page = 0;
    choose();
    draw();
    remember();
  }

  function turn(by) {
    page += by;
    draw();
    remember();
    top();
  }

  form.addEventListener("change", changed);
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(changed, 150);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    changed();
  });
  form.addEventListener("reset", () => setTimeout(changed, 0));
  document.getElementById("previous").addEventListener("click", () => turn(-1));
  document.getElementById("next").addEventListener("click", () => turn(1));
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", () => show(0, PRINTED));
  addEventListener("afterprint", draw);

  form.hidden = false;
  choose();
  draw();
  follow();
})();
