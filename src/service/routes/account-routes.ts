import { ACCOUNTS_QUERY_VALUE } from '../../api/accounts.js';
import { readAccounts } from '../accounts-file.js';
import type { ServiceContext } from '../service-context.js';
import { ServiceError } from '../service-error.js';
import type { RouteHandlers } from './route-types.js';

/** The document shows the query's only value, `mine`, and not its name: any name is taken. */
export function createAccountRoutes({
  paths,
}: Pick<ServiceContext, 'paths'>): Pick<RouteHandlers, 'listAccounts'> {
  return {
    async listAccounts({ query }) {
      const values = Object.values(query);
      if (values.length !== 1 || values[0] !== ACCOUNTS_QUERY_VALUE) {
        throw new ServiceError(
          'InvalidRequest',
          `query: one parameter with the value ${ACCOUNTS_QUERY_VALUE} is needed`,
        );
      }
      return (await readAccounts(paths)).map(({ webhookUrl: _, ...account }) => account);
    },
  };
}
