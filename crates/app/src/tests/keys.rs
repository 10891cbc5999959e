//! The rotation of keys on several nodes, of which one gets the new file late.

use super::Fixture;
use crate::access::sealing::{
    KeyError, check_keys, finish_rotation, list_keys, remember_key, use_keys,
};

#[tokio::test]
async fn a_key_that_a_node_still_uses_is_not_lost_by_the_next_rotation() {
    let fixture = Fixture::new().await;
    let (app, old) = (&fixture.app, &fixture.ring);
    check_keys(&app.store, &app.world, old).await.unwrap();
    assert_eq!(remember_key(app, old).await.unwrap(), None, "it is known");
    let new = old.rotate(&app.world);
    use_keys(app, &new).await.unwrap();
    finish_rotation(app).await.unwrap();
    assert!(list_keys(app).await.unwrap().older.is_empty());

    // Another node does not have the new file yet.
    let newer = remember_key(app, old).await.unwrap();
    assert_eq!(newer.as_deref(), Some(new.newest()));
    let next = new.rotate(&app.world);
    let refused = use_keys(app, &next).await;
    assert!(matches!(refused, Err(KeyError::Missing(id)) if id == old.newest()));

    // Now it has.
    finish_rotation(app).await.unwrap();
    assert!(list_keys(app).await.unwrap().older.is_empty());
    use_keys(app, &next).await.unwrap();
}
