// The colours of a terminal, for either theme of the page.

const DARK = {
  background: "#14171c",
  foreground: "#d8dce3",
  cursor: "#d8dce3",
  selectionBackground: "#3b4a63",
  black: "#1d2127",
  red: "#f07178",
  green: "#8fce7a",
  yellow: "#e6c073",
  blue: "#7aa2f7",
  magenta: "#c792ea",
  cyan: "#6fd0dd",
  white: "#c8ccd4",
  brightBlack: "#8a94a3",
  brightRed: "#ff8b92",
  brightGreen: "#a9e393",
  brightYellow: "#ffd88a",
  brightBlue: "#9dbcff",
  brightMagenta: "#dcb0ff",
  brightCyan: "#93e6f0",
  brightWhite: "#ffffff",
};

/** White is dark here, since programs that know nothing of the theme write with it. */
const LIGHT = {
  background: "#fbfbfc",
  foreground: "#22262c",
  cursor: "#22262c",
  selectionBackground: "#c9d8f5",
  black: "#22262c",
  red: "#b3261e",
  green: "#1b7340",
  yellow: "#8a5300",
  blue: "#1d5fc4",
  magenta: "#8a2fb0",
  cyan: "#0b6478",
  white: "#565e69",
  brightBlack: "#69727e",
  brightRed: "#c2352c",
  brightGreen: "#237f49",
  brightYellow: "#8f5d00",
  brightBlue: "#2b6ad0",
  brightMagenta: "#983fbd",
  brightCyan: "#14728a",
  brightWhite: "#3b424c",
};

/** What programs write in colours of their own is kept apart from the ground by at least this much. */
const CONTRAST = 3;

export function themeOf(isDark: boolean) {
  return { theme: isDark ? DARK : LIGHT, minimumContrastRatio: isDark ? 1 : CONTRAST };
}
