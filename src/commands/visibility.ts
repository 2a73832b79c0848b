import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { usageError } from '../errors.js';
import { checkId } from './clip-ids.js';
import { planRequest, showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';

export function registerVisibility(command: Command, context: Context): void {
  command
    .argument('<projectId>', 'the project')
    .argument('<default|public>', 'default: the team; public: anyone can open, edit and export')
    .action(async (projectId, visibility) => setVisibility(projectId, visibility, context));
  addHelp(command, {
    examples: ['visibility P123 public', 'visibility P123 default'],
    exitCodes: [3, 4, 5, 8],
  });
}

async function setVisibility(projectId: string, text: string, context: Context): Promise<void> {
  checkId(projectId, 'project id');
  const visibility = text.toUpperCase();
  if (visibility !== 'DEFAULT' && visibility !== 'PUBLIC') {
    throw usageError(`${JSON.stringify(text)} is no visibility that can be set`, {
      hint: 'default or public',
    });
  }
  if (context.flags.dryRun) {
    const { projectRoutes } = await import('../api/projects.js');
    const input = { params: { projectId }, body: { visibility } };
    return showDryRun(context, [
      await planRequest(context.shownBaseUrl, projectRoutes.updateVisibility, input),
    ]);
  }
  const { api } = await context.connect();
  const project = await api.updateVisibility(projectId, visibility);
  await context.output.result({ json: project, lines: [project.id] });
}
