import type { Context } from '../context.js';
import { CancelledError, ClipctlError, type ErrorKind, messageOf } from '../errors.js';
import { exitCodeOf } from '../exit-codes.js';

/** What came of one item. One that failed after something was made has what is known of that as `value`. */
export type ItemOutcome<T, R> =
  | { item: T; ok: true; value: R }
  | { item: T; ok: false; value?: R; error: unknown };

/** What fails for one item because of the key or the way to the service fails for all: the others are not tried. */
const STOPS_ALL: readonly ErrorKind[] = ['auth', 'network', 'cancelled'];

function stopsAll(error: unknown): boolean {
  return error instanceof ClipctlError && STOPS_ALL.includes(error.kind);
}

/** Does one thing after another for several items. One failure does not stop the others, unless it is the same for all. */
export async function eachItem<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<ItemOutcome<T, R>[]> {
  const outcomes: ItemOutcome<T, R>[] = [];
  let stopped: ClipctlError | undefined;
  for (const item of items) {
    if (stopped) {
      const error = new ClipctlError(
        stopped.kind,
        `not sent, because of the failure before: ${stopped.message}`,
      );
      outcomes.push({ item, ok: false, error });
      continue;
    }
    try {
      outcomes.push({ item, ok: true, value: await work(item) });
    } catch (error) {
      outcomes.push({ item, ok: false, error });
      if (stopsAll(error)) stopped = error as ClipctlError;
    }
  }
  return outcomes;
}

/**
 * Prints what was done, then fails for what was not. An only item fails with its own error and prints nothing; so do
 * several that all failed for one common reason. Otherwise failures are each named on stderr; under `--json` they are in
 * the document, and stderr keeps to its one line.
 */
export async function finishItems<T, R>(
  outcomes: readonly ItemOutcome<T, R>[],
  { notes, output }: Pick<Context, 'notes' | 'output'>,
  { name, print }: { name: (item: T) => string; print: () => Promise<void> },
): Promise<void> {
  const failed = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome]));
  const [first] = failed;
  if (first && (outcomes.length === 1 || (failed.length === outcomes.length && stopsAll(first.error)))) {
    throw first.error;
  }
  await print();
  if (!first) return;
  const cancelled = failed.find(({ error }) => error instanceof CancelledError);
  if (cancelled) throw cancelled.error;
  if (!output.json)
    for (const { item, error } of failed) notes.warn(`${name(item)}: ${describeFailure(error)}`);
  const errors = failed.map(({ error }) => error);
  throw errorOfItems(errors, outcomes.length, 'what succeeded is on stdout; run it again for the others');
}

/** The one error of several items: that of all, when all failed in the same way; else `partial` (exit 12). */
export function errorOfItems(errors: readonly unknown[], count: number, again: string): ClipctlError {
  const [first] = errors;
  const noneSucceeded = errors.length === count;
  // A usage error would say that nothing was sent.
  if (noneSucceeded && first instanceof ClipctlError && first.kind !== 'usage') {
    const exitCode = exitCodeOf(first);
    if (errors.every((error) => exitCodeOf(error) === exitCode)) {
      const message = `all ${count} failed; the first: ${first.message}`;
      return new ClipctlError(first.kind, message, { ...first.details, cause: first });
    }
  }
  return new ClipctlError('partial', `${errors.length} of ${count} failed`, {
    hint: noneSucceeded ? 'none succeeded; each is named with its reason' : again,
  });
}

/** One line: what happened, what the service said, and what to check when nobody knows whether it was done. */
function describeFailure(error: unknown): string {
  const { errorMessage, hint } = error instanceof ClipctlError ? error.details : {};
  const unknown = error instanceof ClipctlError && error.kind === 'outcome-unknown';
  return [messageOf(error), errorMessage, unknown ? hint : undefined]
    .filter((part) => part !== undefined)
    .join('; ');
}
