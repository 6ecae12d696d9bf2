// Addresses carry no empty parameters: what a form that is sent by GET leaves out means the same as an empty field.
export function withoutEmpty(data) {
  for (const name of new Set(data.keys())) {
    const all = data.getAll(name);
    const full = all.filter((value) => value !== "");
    if (full.length === all.length) continue;
    data.delete(name);
    for (const value of full) data.append(name, value);
  }
  return data;
}

if (typeof document === "object") {
  document.addEventListener("formdata", ({ target, formData }) => {
    if (target.method === "get") withoutEmpty(formData);
  });
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.verb === "get") withoutEmpty(detail.parameters);
  });
}
