// A setting that is on or off.

export function Switch({ label, isOn, onSet }: { label: string; isOn: boolean; onSet: (isOn: boolean) => void }) {
  return (
    <label class="setting">
      <span>{label}</span>
      <input type="checkbox" role="switch" checked={isOn} onChange={(event) => onSet(event.currentTarget.checked)} />
    </label>
  );
}
