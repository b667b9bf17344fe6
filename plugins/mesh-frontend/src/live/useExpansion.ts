import { useCallback, useState } from 'react';

/** Which rows are open. Survives a refresh, since rows are known by key. */
export function useExpansion() {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const onToggle = useCallback(
    (key: string) =>
      setOpen(before => {
        const after = new Set(before);
        if (!after.delete(key)) after.add(key);
        return after;
      }),
    [],
  );
  return { open, onToggle };
}
