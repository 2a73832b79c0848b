import type { Command } from '@commander-js/extra-typings';
import type { SocialAccount } from '../api/accounts.js';
import type { Context } from '../context.js';
import { ClipctlError, usageError } from '../errors.js';
import { checkId } from './clip-ids.js';
import { addHelp } from './help-text.js';
import { guardShortForm } from './short-form.js';

export function registerAccounts(command: Command, context: Context): void {
  const list = command
    .command('list', { isDefault: true })
    .description('list the social accounts connected to the organization')
    .option('--platform <p>', 'only those of a platform, for example TIKTOK_BUSINESS')
    .action(async (options) => listAccounts(options, context));
  guardShortForm(list);
  addHelp(list, {
    examples: [
      'accounts list',
      'accounts --platform TIKTOK_BUSINESS',
      "accounts list --query '[].postAccountId'",
    ],
    exitCodes: [3, 8],
  });
}

async function listAccounts(options: { platform?: string }, context: Context): Promise<void> {
  const { output, notes } = context;
  const { api } = await context.connect();
  const all = await api.listAccounts();
  const wanted = options.platform?.toLowerCase();
  const accounts =
    wanted === undefined ? all : all.filter(({ platform }) => platform?.toLowerCase().startsWith(wanted));
  if (accounts.length === 0) {
    const platforms = [...new Set(all.map(({ platform }) => platform ?? ''))].filter((name) => name !== '');
    notes.note(
      platforms.length > 0
        ? `no such account; platforms: ${platforms.join(', ')}`
        : 'no accounts are connected',
    );
  }
  await output.result({
    json: accounts,
    table: {
      header: ['ACCOUNT', 'SUB-ACCOUNT', 'PLATFORM', 'NAME'],
      whole: [0, 1],
      rows: accounts.map(({ postAccountId, subAccountId, platform, extUserName }) => [
        postAccountId,
        subAccountId ?? '',
        platform ?? '',
        extUserName ?? '',
      ]),
    },
  });
}

/** The account of a post: as given, or chosen by a person from the list. */
export async function chooseAccount(
  given: { account?: string; subAccount?: string },
  context: Context,
): Promise<{ postAccountId: string; subAccountId?: string }> {
  const sub =
    given.subAccount === undefined ? {} : { subAccountId: checkId(given.subAccount, 'sub-account id') };
  if (given.account !== undefined) return { postAccountId: checkId(given.account, 'account id'), ...sub };
  if (!context.canAsk) {
    throw usageError('--account is missing', {
      hint: 'give --account <postAccountId>; clipctl accounts list shows them',
    });
  }
  const { api } = await context.connect();
  const accounts = await api.listAccounts();
  if (accounts.length === 0)
    throw new ClipctlError('not-found', 'no social accounts are connected to the organization');
  const { safeLine } = await import('../terminal/safe-text.js');
  const chosen = await (await context.prompts()).select<SocialAccount>({
    message: 'Account',
    choices: accounts.map((account) => ({
      name: safeLine(`${account.platform ?? 'unknown'}  ${account.extUserName ?? account.postAccountId}`),
      value: account,
    })),
  });
  return {
    postAccountId: chosen.postAccountId,
    ...(chosen.subAccountId ? { subAccountId: chosen.subAccountId } : {}),
    ...sub,
  };
}
