import { CLUSTER_OBSTACLE } from './api/cluster-subject.ts';
import { openClusterLaunches } from './launch/cluster-launches.ts';
import { describeLaunchContract } from './launch/describe-launch-contract.ts';

describeLaunchContract('the cluster of KUBECONFIG', {
  open: openClusterLaunches,
  obstacle: CLUSTER_OBSTACLE,
});
