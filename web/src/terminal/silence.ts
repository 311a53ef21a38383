// A viewer must not speak for the terminal: queries are answered by the agent's host, and what a program prints may
// neither reach the clipboard (OSC 52) nor move the window.

import type { IDisposable, Terminal } from "@xterm/xterm";

const swallow = () => true;
/** Asking for a colour is a query; setting one is not. */
const isQuestion = (data: string) => data.includes("?");

export function silence(terminal: Terminal): IDisposable {
  const { parser } = terminal;
  const handlers = [
    parser.registerCsiHandler({ final: "c" }, swallow),
    parser.registerCsiHandler({ prefix: ">", final: "c" }, swallow),
    parser.registerCsiHandler({ prefix: "=", final: "c" }, swallow),
    parser.registerCsiHandler({ final: "n" }, swallow),
    parser.registerCsiHandler({ prefix: "?", final: "n" }, swallow),
    parser.registerCsiHandler({ intermediates: "$", final: "p" }, swallow),
    parser.registerCsiHandler({ prefix: "?", intermediates: "$", final: "p" }, swallow),
    parser.registerCsiHandler({ prefix: ">", final: "q" }, swallow),
    parser.registerCsiHandler({ prefix: "?", final: "u" }, swallow),
    parser.registerCsiHandler({ final: "t" }, swallow),
    parser.registerDcsHandler({ intermediates: "$", final: "q" }, swallow),
    parser.registerDcsHandler({ intermediates: "+", final: "q" }, swallow),
    parser.registerOscHandler(52, swallow),
    ...[4, 10, 11, 12].map((code) => parser.registerOscHandler(code, isQuestion)),
  ];
  return { dispose: () => handlers.forEach((handler) => handler.dispose()) };
}
