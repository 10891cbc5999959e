//! The warehouses of the platform.

use domain::warehouse::{
    return_routes::{ReturnRoute, ReturnRoutes},
    settings::{ReceivingAddress, Warehouse, WarehouseAddress, WarehouseSettings},
};

use crate::{
    Versioned,
    conformance::{Subject, assert_conflict, commit, on_every_engine},
};

on_every_engine!(
    warehouses_are_listed_by_identifier_and_replaced_at_the_version_read,
    a_warehouse_is_removed_at_the_version_read,
    the_routes_of_returns_are_replaced_at_the_version_read,
);

fn warehouse(identifier: &str, external: &str) -> Warehouse {
    let settings = WarehouseSettings {
        external_identifier: Some(external.to_owned()),
        stock_transfer_identifier: None,
        address: Some(WarehouseAddress {
            address: ReceivingAddress { name: "Dock 4".to_owned(), ..Default::default() },
            country: Some("US".to_owned()),
            telephone_number: None,
        }),
        time_zone: Some("America/New_York".to_owned()),
        default_channel: Some("Restock".to_owned()),
    };
    Warehouse { identifier: identifier.to_owned(), settings }
}

async fn warehouses_are_listed_by_identifier_and_replaced_at_the_version_read(
    Subject { store, .. }: Subject,
) {
    let (east, west) = (warehouse("31", "EAST"), warehouse("32", "WEST"));
    for added in [&west, &east] {
        commit(&store, |it| it.put_warehouse(added, 0)).await.unwrap();
    }
    let rows = |east: &Warehouse, version| {
        let first = Versioned { value: east.clone(), version };
        vec![first, Versioned { value: west.clone(), version: 1 }]
    };
    assert_eq!(store.warehouses(9).await.unwrap(), rows(&east, 1));
    assert_eq!(store.warehouses(1).await.unwrap(), rows(&east, 1)[..1]);

    let changed = warehouse("31", "EAST-2");
    assert_conflict(&commit(&store, |it| it.put_warehouse(&changed, 0)).await);
    commit(&store, |it| it.put_warehouse(&changed, 1)).await.unwrap();
    assert_conflict(&commit(&store, |it| it.put_warehouse(&east, 1)).await);
    assert_eq!(store.warehouses(9).await.unwrap(), rows(&changed, 2));
    assert_eq!(store.warehouse("31").await.unwrap(), Some(changed));
    assert_eq!(store.warehouse("33").await.unwrap(), None);
}

async fn a_warehouse_is_removed_at_the_version_read(Subject { store, .. }: Subject) {
    commit(&store, |it| it.put_warehouse(&warehouse("31", "EAST"), 0)).await.unwrap();

    assert_conflict(&commit(&store, |it| it.delete_warehouse("31", 2)).await);
    assert_conflict(&commit(&store, |it| it.delete_warehouse("32", 1)).await);
    commit(&store, |it| it.delete_warehouse("31", 1)).await.unwrap();

    assert_eq!(store.warehouses(9).await.unwrap(), []);
}

async fn the_routes_of_returns_are_replaced_at_the_version_read(Subject { store, .. }: Subject) {
    let none = store.return_routes().await.unwrap();
    assert_eq!((none.version, none.value), (0, ReturnRoutes::default()));
    let route = |warehouse: &str| {
        let warehouse = warehouse.to_owned();
        let route = ReturnRoute { merchant: None, country: None, return_method: None, warehouse };
        ReturnRoutes { routes: vec![route] }
    };

    commit(&store, |it| it.put_return_routes(&route("31"), 0)).await.unwrap();
    assert_conflict(&commit(&store, |it| it.put_return_routes(&route("32"), 0)).await);
    commit(&store, |it| it.put_return_routes(&route("33"), 1)).await.unwrap();

    let stored = store.return_routes().await.unwrap();
    assert_eq!((stored.version, stored.value), (2, route("33")));
}
