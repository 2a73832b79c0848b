import type { Connection, Context } from '../context.js';
import { messageOf } from '../errors.js';
import type { NewEntry } from '../history/journal.js';

/**
 * Writes down what a command created, so that its id can be found again. The thing exists at the service by now, so a
 * history that cannot be written is a warning and never an error of the command.
 */
export async function recordHistory(
  { io, dirs, settings, notes }: Pick<Context, 'io' | 'dirs' | 'settings' | 'notes'>,
  { baseUrl }: Pick<Connection, 'baseUrl'>,
  ...entries: NewEntry[]
): Promise<void> {
  try {
    const { appendHistory, LOCAL_SERVICE } = await import('../history/journal.js');
    const profile = settings.find('profile').value;
    // The local service has another port each time; what it made is found again by --local.
    const isLocal = settings.get('local') === true && settings.find('base_url').origin !== 'flag';
    const written = entries.map(({ kind, id, event, ...rest }) => ({
      time: io.now().toISOString(),
      kind,
      id,
      event: event ?? ('created' as const),
      baseUrl: isLocal ? LOCAL_SERVICE : baseUrl,
      ...(profile === null ? {} : { profile: String(profile) }),
      ...rest,
    }));
    await appendHistory(dirs.state, written);
  } catch (error) {
    notes.warn(`the history could not be written: ${messageOf(error)}`);
  }
}
