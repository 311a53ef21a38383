// What was sent to an agent: its words, its pictures, and the names of its other files.

import { textOf } from "../state/task-fold";
import type { Part } from "../types";
import { Icon } from "./icon";
import { PlainText } from "./plain-text";

type File = NonNullable<Part["file"]>;

/** The policy lets pictures come from the page's own data. */
const PICTURE = /^image\/(png|jpeg|gif|webp|avif)$/;
export const isShown = (file: { mimeType?: string; bytes?: string }) => file.bytes !== undefined && PICTURE.test(file.mimeType ?? "");
export const dataUrl = (file: { mimeType?: string; bytes?: string }) => `data:${file.mimeType ?? ""};base64,${file.bytes ?? ""}`;

export function SentMessage({ parts }: { parts: Part[] }) {
  const files = parts.flatMap((part) => (part.file ? [part.file] : []));
  const said = textOf(parts.filter((part) => !part.file));
  return (
    <div class="bubble">
      {said !== "" && (
        <p>
          <PlainText text={said} />
        </p>
      )}
      {files.length > 0 && (
        <ul class="sent-files">
          {files.map((file, index) => (
            <li key={index}>
              <SentFile file={file} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function SentFile({ file }: { file: File }) {
  const name = file.name ?? file.uri ?? "";
  if (isShown(file)) return <img class="sent-picture" src={dataUrl(file)} alt={name} title={name} />;
  return (
    <span class="sent-file">
      <Icon name="clip" />
      {name}
    </span>
  );
}
