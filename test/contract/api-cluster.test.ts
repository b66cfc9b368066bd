import { CLUSTER_OBSTACLE, openClusterSubject } from './api/cluster-subject.ts';
import { describeApiContract } from './api/describe-api-contract.ts';

describeApiContract('the cluster of KUBECONFIG', { open: openClusterSubject, obstacle: CLUSTER_OBSTACLE });
