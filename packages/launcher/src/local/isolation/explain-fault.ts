/** Why bubblewrap does not work here, in words that lead to a remedy. */

/** Facts of the machine that explain a refusal. */
export interface MachineFacts {
  readonly isRoot: boolean;
  /** `/proc/sys/user/max_user_namespaces`; null when it cannot be read. */
  readonly maxUserNamespaces: number | null;
  /** `/proc/sys/kernel/unprivileged_userns_clone` is 0. */
  readonly isUsernsCloneOff: boolean;
  /** `/proc/sys/kernel/apparmor_restrict_unprivileged_userns` is 1. */
  readonly isApparmorRestricted: boolean;
}

/** What can be done about a failed probe, by what the machine says of itself; null when nothing explains it. */
export function explainFault(facts: MachineFacts): string | null {
  if (facts.isRoot)
    return 'as root it needs CAP_SYS_ADMIN and a mapped user id for sandboxes, which most containers lack; run the server as an ordinary user';
  if (facts.maxUserNamespaces === 0) return 'the sysctl user.max_user_namespaces is 0';
  if (facts.isUsernsCloneOff) return 'the sysctl kernel.unprivileged_userns_clone is 0';
  if (facts.isApparmorRestricted)
    return 'the sysctl kernel.apparmor_restrict_unprivileged_userns is 1 and no AppArmor profile lets bwrap create user namespaces';
  return null;
}
