import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { SocialAccount } from '../api/accounts.js';
import { errorCode } from '../errors.js';
import { writeWhole } from '../write-whole.js';
import type { DataPaths } from './data-dir.js';
import { ServiceError } from './service-error.js';

/** An account of the file; `webhookUrl` is told of what is published, and is not shown. */
const FileAccount = z.extend(SocialAccount, { webhookUrl: z.optional(z.url()) });
const AccountsFile = z.object({ accounts: z.array(FileAccount) });
export type LocalAccount = z.infer<typeof FileAccount>;

const SAMPLE: z.infer<typeof AccountsFile> = {
  accounts: [
    {
      postAccountId: 'local-page',
      subAccountId: 'local-page-1',
      platform: 'FACEBOOK_PAGE',
      extUserId: '1000001',
      extUserName: 'Sample Page',
      extUserPictureLink: 'https://example.com/sample-page.png',
      extUserProfileLink: 'https://example.com/sample-page',
    },
    {
      postAccountId: 'local-tiktok',
      platform: 'TIKTOK_BUSINESS',
      extUserId: '1000002',
      extUserName: 'sample.tiktok',
      extUserPictureLink: 'https://example.com/sample-tiktok.png',
      extUserProfileLink: 'https://example.com/sample-tiktok',
    },
  ],
};

/** Writes the sample accounts when there is no file yet. */
export async function makeAccountsFile(paths: DataPaths): Promise<void> {
  try {
    await readFile(paths.accounts);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await writeWhole(paths.accounts, `${JSON.stringify(SAMPLE, undefined, 2)}\n`);
  }
}

/** The accounts as the file has them now, so that an edit needs no restart. Throws Unavailable for a broken file. */
export async function readAccounts(paths: DataPaths): Promise<LocalAccount[]> {
  try {
    return AccountsFile.parse(JSON.parse(await readFile(paths.accounts, 'utf8'))).accounts;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw new ServiceError(
      'Unavailable',
      'accounts.json in the data directory cannot be read as a list of accounts',
    );
  }
}

/** The account of a request. Throws NotFound, or InvalidRequest for another account's `subAccountId`. */
export async function requireAccount(
  paths: DataPaths,
  asked: { postAccountId: string; subAccountId?: string | undefined },
): Promise<LocalAccount> {
  const accounts = (await readAccounts(paths)).filter(
    (account) => account.postAccountId === asked.postAccountId,
  );
  const [first] = accounts;
  if (!first) throw new ServiceError('NotFound', 'postAccountId: no such account');
  if (asked.subAccountId === undefined) return first;
  const exact = accounts.find((account) => account.subAccountId === asked.subAccountId);
  if (!exact) throw new ServiceError('InvalidRequest', 'subAccountId: not one of that account');
  return exact;
}
