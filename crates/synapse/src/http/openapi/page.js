// Lists the operations of /openapi.json. Everything is put in as text, never as HTML.
"use strict";

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function operation(method, path, about) {
  const details = element("details");
  const summary = element("summary");
  summary.append(element("code", method, "method"), element("code", path), ` ${about.summary ?? ""}`);
  details.append(summary);
  if (about.description) details.append(element("p", about.description));
  const facts = { parameters: about.parameters, body: about.requestBody, responses: about.responses };
  details.append(element("pre", JSON.stringify(facts, null, 2)));
  return details;
}

async function show() {
  const answer = await fetch("/openapi.json");
  const api = await answer.json();
  document.getElementById("about").textContent = api.info.description;
  const list = document.getElementById("operations");
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, about] of Object.entries(methods)) list.append(operation(method, path, about));
  }
  const schemas = element("pre", JSON.stringify(api.components.schemas, null, 2));
  list.append(element("h2", "Shapes"), schemas);
}

show().catch((error) => {
  document.getElementById("about").textContent = `/openapi.json cannot be read: ${error.message}`;
});
