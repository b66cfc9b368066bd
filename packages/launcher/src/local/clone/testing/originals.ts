/** Repositories to clone, made by the real git. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GIT_SETTINGS, buildGitEnvironment } from '../git-settings.ts';

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Author',
  GIT_AUTHOR_EMAIL: 'author@example.com',
  GIT_COMMITTER_NAME: 'Author',
  GIT_COMMITTER_EMAIL: 'author@example.com',
};

/** A directory with originals in it, gone with the test. */
export class Originals implements AsyncDisposable {
  readonly directory: string;
  /** The environment in which clones are made. */
  readonly env: Readonly<Record<string, string>>;

  private constructor(directory: string, settingsPath: string) {
    this.directory = directory;
    this.env = buildGitEnvironment({
      settingsPath,
      searchPath: process.env['PATH'],
      hostId: 'h0123456789ab',
    });
  }

  static async create(): Promise<Originals> {
    const directory = await mkdtemp(join(tmpdir(), 'omnigent-clone-'));
    const settingsPath = join(directory, 'gitconfig');
    await writeFile(settingsPath, GIT_SETTINGS);
    return new Originals(directory, settingsPath);
  }

  /** Absolute path below the directory. */
  path(name: string): string {
    return join(this.directory, name);
  }

  /** Runs git in a directory below and returns what it says. */
  git(name: string, ...args: readonly string[]): string {
    const env = { ...this.env, ...IDENTITY };
    return execFileSync('git', ['-C', this.path(name), ...args], { env, encoding: 'utf8' }).trim();
  }

  /** Makes a repository with one commit on `main`. */
  async make(name: string): Promise<string> {
    this.git('.', 'init', '--quiet', '--initial-branch=main', name);
    await writeFile(join(this.path(name), 'file'), 'one\n');
    this.git(name, 'add', '.');
    this.git(name, 'commit', '--quiet', '--message', 'one');
    return this.path(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}
