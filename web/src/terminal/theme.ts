// The colours of a terminal. Dark in both themes, as the programs expect.

export const THEME = {
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
  brightBlack: "#6b7482",
  brightRed: "#ff8b92",
  brightGreen: "#a9e393",
  brightYellow: "#ffd88a",
  brightBlue: "#9dbcff",
  brightMagenta: "#dcb0ff",
  brightCyan: "#93e6f0",
  brightWhite: "#ffffff",
};
