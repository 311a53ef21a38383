// Files that go with a message.

import { useRef } from "preact/hooks";
import { bytes } from "../state/when";
import { t } from "../text";
import { Icon } from "./icon";
import { dataUrl, isShown } from "./sent-message";

/** The hub takes 16 MiB in one request, and base64 makes three bytes four. */
const MOST_BYTES = 11_000_000;

export type Attached = { name: string; mimeType: string; bytes: string };

export async function readFiles(list: FileList): Promise<Attached[]> {
  const files = [...list];
  const sum = files.reduce((total, file) => total + file.size, 0);
  if (sum > MOST_BYTES) throw new Error(t("error.filesTooLarge", { most: bytes(MOST_BYTES) }));
  return Promise.all(
    files.map(async (file) => ({
      name: file.name,
      mimeType: file.type || "application/octet-stream",
      bytes: await base64(file),
    })),
  );
}

function base64(file: File): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
}

/** On a phone this also offers the camera. */
export function AttachButton({ isOff, onFiles }: { isOff: boolean; onFiles: (list: FileList) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="round-button attach" aria-label={t("bar.attach")} title={t("bar.attach")} disabled={isOff} onClick={() => input.current?.click()}>
        <Icon name="clip" />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t("bar.attach")}
        onChange={(event) => {
          const { files } = event.currentTarget;
          if (files) onFiles(files);
          // The same file may be chosen again.
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}

export function AttachedFiles({ files, onRemove }: { files: Attached[]; onRemove: (index: number) => void }) {
  if (files.length === 0) return null;
  return (
    <ul class="attached">
      {files.map((file, index) => (
        <li key={`${index}${file.name}`} class="queue-chip">
          {isShown(file) ? <img class="thumbnail" src={dataUrl(file)} alt="" /> : <Icon name="clip" />}
          <span class="queue-text">{file.name}</span>
          <button type="button" class="icon-button small" aria-label={t("bar.removeFile", { name: file.name })} onClick={() => onRemove(index)}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
