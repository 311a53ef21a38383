// Small drawings, all on a 24 by 24 grid in the colour of the text around them.

const PATHS = {
  agents: "M4 6h16M4 12h16M4 18h10",
  inbox: "M4 13h4l2 3h4l2-3h4M4 13 6.5 5h11L20 13v6H4z",
  mesh: "M6 7.5 17 6M6.5 9 8 16M10 17.5l6-1.5M18 8l.5 5.5",
  flows: "M4 5h6v5H4zM14 14h6v5h-6zM10 7.5h3a2 2 0 0 1 2 2V14",
  worktrees: "M7 4v11M7 15a3 3 0 1 0 0 .1M17 4a2.5 2.5 0 1 0 0 .1M17 9c0 5-7 3-9.5 6.5",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 20 20",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
  more: "",
  minus: "M5 12h14",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  send: "M5 12h13M13 6l6 6-6 6",
  slash: "M15 4 9 20",
  back: "M14 6l-6 6 6 6",
  chevron: "M9 6l6 6-6 6",
  down: "M12 5v13M6 13l6 6 6-6",
  up: "M12 19V6M6 11l6-6 6 6",
  copy: "M9 9h11v11H9zM5 15V4h11",
  folder: "M3 6h6l2 2.5h10V19H3z",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  branch: "M7 5v14M7 14c6 0 10-1 10-6M17 8V5",
  terminal: "M5 7l5 5-5 5M12 18h7",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8",
  phone: "M7 3h10v18H7zM11 18h2",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  edit: "M5 19l1-4L16 5l3 3L9 18z",
  bolt: "M13 3 5 14h6l-1 7 8-11h-6z",
  rail: "M4 5h16v14H4zM9 5v14",
  again: "M19 12a7 7 0 1 1-2.2-5.1M19 4v4h-4",
  source: "M9 7l-5 5 5 5M15 7l5 5-5 5",
  check: "M5 12.5l4.5 4.5L19 7.5",
  clip: "M8 12l6-6a3 3 0 0 1 4 4l-8 8a5 5 0 0 1-7-7l7-7",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  const stroke = { fill: "none", stroke: "currentColor", "stroke-width": "1.8", "stroke-linecap": "round", "stroke-linejoin": "round" } as const;
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" {...stroke}>
      <path d={PATHS[name]} />
      {name === "more" && (
        <g fill="currentColor">
          <circle cx="5.5" cy="12" r="1.2" />
          <circle cx="12" cy="12" r="1.2" />
          <circle cx="18.5" cy="12" r="1.2" />
        </g>
      )}
      {name === "mesh" && (
        <>
          <circle cx="5" cy="7.5" r="2" />
          <circle cx="19" cy="6" r="2" />
          <circle cx="8.5" cy="18" r="2" />
          <circle cx="18.5" cy="15.5" r="2" />
        </>
      )}
    </svg>
  );
}

/** The square of the Stop button. */
export function StopIcon() {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="currentColor">
      <rect x="6" y="6" width="12" height="12" rx="2" />
    </svg>
  );
}
