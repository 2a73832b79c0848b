import type { Context } from '../context.js';
import { CancelledError, ClipctlError, messageOf } from '../errors.js';

export type ItemOutcome<T, R> = { item: T; ok: true; value: R } | { item: T; ok: false; error: unknown };

/**
 * Does one thing after another for several items; one failure does not stop the others, except a refused key and an
 * interruption, which are the same for all.
 */
export async function eachItem<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<ItemOutcome<T, R>[]> {
  const outcomes: ItemOutcome<T, R>[] = [];
  for (const item of items) {
    try {
      outcomes.push({ item, ok: true, value: await work(item) });
    } catch (error) {
      if (error instanceof CancelledError || (error instanceof ClipctlError && error.kind === 'auth'))
        throw error;
      outcomes.push({ item, ok: false, error });
    }
  }
  return outcomes;
}

/** After the successes are printed: the failures on stderr, and the error that makes the exit code. */
export function throwFailures<T>(
  outcomes: readonly ItemOutcome<T, unknown>[],
  { notes }: Pick<Context, 'notes'>,
  name: (item: T) => string,
): void {
  const failed = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome]));
  const [first] = failed;
  if (!first) return;
  if (outcomes.length === 1) throw first.error;
  for (const { item, error } of failed) notes.warn(`${name(item)}: ${messageOf(error)}`);
  throw new ClipctlError('partial', `${failed.length} of ${outcomes.length} failed`, {
    hint: 'what succeeded is on stdout; run it again for the others',
  });
}
