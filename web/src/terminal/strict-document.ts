// xterm writes <style> elements and style attributes, which the page's policy (no inline style) forbids. It makes its
// <style> through the document it is given, so it is given one whose <style> is a constructed stylesheet; while it
// opens, one part of it (its viewport) takes the window's own document all the same, so that makes such elements for
// the moment, too. Its rows are always made by the window's own: spans and divs set their style through the CSSOM,
// whoever made them. Both are what the policy allows.

export type StrictDocument = {
  document: Document;
  /** Opens the terminal with every element made strictly. */
  during: (open: () => void) => void;
  dispose: () => void;
};

export function strictDocument(): StrictDocument {
  const sheets = new Set<CSSStyleSheet>();

  const make = document.createElement.bind(document);

  const styleStandIn = (): HTMLElement => {
    const sheet = new CSSStyleSheet();
    sheets.add(sheet);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    const element = make("span");
    element.hidden = true;
    Object.defineProperty(element, "textContent", {
      configurable: true,
      get: () => "",
      set: (css: string) => sheet.replaceSync(css),
    });
    return element;
  };

  const createElement = (name: string): HTMLElement => {
    if (name === "style") return styleStandIn();
    return make(name);
  };

  const strict = new Proxy(document, {
    get(target, key) {
      if (key === "createElement") return createElement;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    document: strict,
    during(open) {
      document.createElement = createElement as typeof document.createElement;
      try {
        open();
      } finally {
        Reflect.deleteProperty(document, "createElement");
      }
    },
    dispose() {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.has(sheet));
      sheets.clear();
    },
  };
}

for (const kind of [HTMLSpanElement, HTMLDivElement]) kind.prototype.setAttribute = setAttribute;

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}
