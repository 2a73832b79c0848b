import type { Command } from '@commander-js/extra-typings';
import type { Context } from './context.js';

/** Declares a command: its arguments, flags, help and action. */
export type Register = (command: Command, context: Context) => void;

export interface CommandEntry {
  name: string;
  summary: string;
  /** The command's file is loaded only when the command line names it. */
  load(): Promise<Register>;
}

/** The commands in the order of the help. The README's table and completion read it too. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'upload',
    summary: 'upload local files and create a project for each',
    load: async () => (await import('./commands/upload.js')).registerUpload,
  },
  {
    name: 'uploads',
    summary: 'list, resume and forget unfinished uploads',
    load: async () => (await import('./commands/uploads.js')).registerUploads,
  },
  {
    name: 'project',
    summary: 'create a project from an address; look at one; wait for it',
    load: async () => (await import('./commands/project.js')).registerProject,
  },
  {
    name: 'visibility',
    summary: 'set who may see a project',
    load: async () => (await import('./commands/visibility.js')).registerVisibility,
  },
  {
    name: 'clip',
    summary: 'list and download the clips of a project',
    load: async () => (await import('./commands/clip.js')).registerClip,
  },
  {
    name: 'collection',
    summary: 'make collections, fill them, export their clips',
    load: async () => (await import('./commands/collection.js')).registerCollection,
  },
  {
    name: 'censor',
    summary: 'censor words in clips',
    load: async () => (await import('./commands/censor.js')).registerCensor,
  },
  {
    name: 'schedule',
    summary: 'schedule and cancel social posts',
    load: async () => (await import('./commands/schedule.js')).registerSchedule,
  },
  {
    name: 'accounts',
    summary: 'list the connected social accounts',
    load: async () => (await import('./commands/accounts.js')).registerAccounts,
  },
  {
    name: 'copy',
    summary: 'ask for social copy of a clip',
    load: async () => (await import('./commands/copy.js')).registerCopy,
  },
  {
    name: 'preset',
    summary: 'save, list, show and delete preferences under a name',
    load: async () => (await import('./commands/preset.js')).registerPreset,
  },
  {
    name: 'history',
    summary: 'find again what this machine created',
    load: async () => (await import('./commands/history.js')).registerHistory,
  },
  {
    name: 'webhook',
    summary: 'receive conclusion actions, verify their signatures',
    load: async () => (await import('./commands/webhook.js')).registerWebhook,
  },
  {
    name: 'auth',
    summary: 'log in, log out, show which key is in use',
    load: async () => (await import('./commands/auth.js')).registerAuth,
  },
  {
    name: 'config',
    summary: 'get, set, unset and list settings',
    load: async () => (await import('./commands/config.js')).registerConfig,
  },
  {
    name: 'profile',
    summary: 'list, choose and delete named addresses and keys',
    load: async () => (await import('./commands/profile.js')).registerProfile,
  },
  {
    name: 'api',
    summary: 'send a raw authenticated request',
    load: async () => (await import('./commands/api.js')).registerApi,
  },
  {
    name: 'serve',
    summary: 'run the local service on this machine',
    load: async () => (await import('./commands/serve.js')).registerServe,
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh, fish or powershell',
    load: async () => (await import('./commands/completion.js')).registerCompletion,
  },
  {
    name: 'doctor',
    summary: 'check this machine, the settings and the way to the service',
    load: async () => (await import('./commands/doctor.js')).registerDoctor,
  },
  {
    name: 'help',
    summary: 'help for a command or a topic',
    load: async () => (await import('./commands/help.js')).registerHelp,
  },
];
